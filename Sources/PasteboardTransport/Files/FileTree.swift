import CPasteboardSystem
import Glibc

/// Operations on a directory tree that another user may have created. Links are never followed. A directory that its
/// owner may not enter gets that permission during the operation.
package enum FileTree {
    /// A directory on the current path. It holds a path and no descriptor, so that a deep tree does not exhaust them.
    private struct Level {
        let path: SystemString
        let status: stat
        /// The names that have not been visited yet.
        var names: [SystemString]
        var isChanged = false

        var mode: mode_t { status.st_mode & 0o7777 }
    }

    /// Removes everything except files, directories and symbolic links. Modes and times of the directories are kept.
    package static func removeSpecials(in directory: CInt) throws(SystemError) {
        var levels = [try enter(".", of: directory)]
        while let level = levels.last {
            guard let name = levels[levels.count - 1].names.popLast() else {
                try leave(level, of: directory)
                levels.removeLast()
                continue
            }
            let path = level.path.appending(name)
            switch try status(of: path, directory).st_mode & S_IFMT {
            case S_IFDIR:
                levels.append(try enter(path, of: directory))
            case S_IFREG, S_IFLNK:
                break
            default:
                _ = try System.call("unlink") { path.withPath { unlinkat(directory, $0, 0) } }
                levels[levels.count - 1].isChanged = true
            }
        }
    }

    /// The number of entries that ``removeSpecials(in:)`` would remove. Directories that cannot be read are left out.
    package static func countSpecials(in directory: CInt, _ path: SystemString) -> Int {
        var (count, pending) = (0, [path])
        while let path = pending.popLast() {
            for name in (try? System.entries(of: directory, path)) ?? [] {
                let entry = path.appending(name)
                switch (try? status(of: entry, directory).st_mode).map({ $0 & S_IFMT }) {
                case S_IFDIR: pending.append(entry)
                case S_IFREG, S_IFLNK, nil: break
                default: count += 1
                }
            }
        }
        return count
    }

    private static func enter(_ path: SystemString, of directory: CInt) throws(SystemError) -> Level {
        let status = try status(of: path, directory)
        if status.st_mode & 0o700 != 0o700 {
            try System.setMode(status.st_mode & 0o7777 | 0o700, of: path, in: directory)
        }
        return Level(path: path, status: status, names: try System.entries(of: directory, path))
    }

    private static func leave(_ level: Level, of directory: CInt) throws(SystemError) {
        if level.isChanged {
            let omitted = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)  // UTIME_OMIT
            let times = [omitted, level.status.st_mtim]
            _ = try System.call("utimensat") { level.path.withPath { utimensat(directory, $0, times, 0) } }
        }
        if level.mode & 0o700 != 0o700 { try System.setMode(level.mode, of: level.path, in: directory) }
    }

    private static func status(of path: SystemString, _ directory: CInt) throws(SystemError) -> stat {
        var status = stat()
        _ = try System.call("lstat") { path.withPath { fstatat(directory, $0, &status, AT_SYMLINK_NOFOLLOW) } }
        return status
    }
}
