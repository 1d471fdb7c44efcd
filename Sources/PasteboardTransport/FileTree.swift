import Glibc

/// A directory and all that is below it, as a stranger may have made it. Links are never followed, and directories that
/// their owner may not use are opened for as long as it takes.
package enum FileTree {
    /// A directory on the way down. Only its path is held, so that a deep tree does not use up the descriptors.
    private struct Level {
        let path: [UInt8]
        let status: stat
        /// Those left to look at.
        var names: [[UInt8]]
        var isChanged = false

        var mode: mode_t { status.st_mode & 0o7777 }
    }

    /// Removes everything but files, directories and symbolic links. Modes and times of the directories stay.
    package static func removeSpecials(in directory: CInt) throws(SystemError) {
        var levels = [try enter([UInt8(ascii: ".")], of: directory)]
        while let level = levels.last {
            guard let name = levels[levels.count - 1].names.popLast() else {
                try leave(level, of: directory)
                levels.removeLast()
                continue
            }
            let path = level.path + [UInt8(ascii: "/")] + name
            switch try status(of: path, directory).st_mode & S_IFMT {
            case S_IFDIR:
                levels.append(try enter(path, of: directory))
            case S_IFREG, S_IFLNK:
                break
            default:
                _ = try System.call("unlink") { System.withPath(path) { unlinkat(directory, $0, 0) } }
                levels[levels.count - 1].isChanged = true
            }
        }
    }

    private static func enter(_ path: [UInt8], of directory: CInt) throws(SystemError) -> Level {
        let status = try status(of: path, directory)
        if status.st_mode & 0o700 != 0o700 {
            try setMode(status.st_mode & 0o7777 | 0o700, path, directory)
        }
        return Level(path: path, status: status, names: try System.entries(of: directory, path))
    }

    private static func leave(_ level: Level, of directory: CInt) throws(SystemError) {
        if level.isChanged {
            let omitted = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)  // UTIME_OMIT
            let times = [omitted, level.status.st_mtim]
            _ = try System.call("utimensat") { System.withPath(level.path) { utimensat(directory, $0, times, 0) } }
        }
        if level.mode & 0o700 != 0o700 { try setMode(level.mode, level.path, directory) }
    }

    private static func setMode(_ mode: mode_t, _ path: [UInt8], _ directory: CInt) throws(SystemError) {
        _ = try System.call("chmod") { System.withPath(path) { fchmodat(directory, $0, mode, 0) } }
    }

    private static func status(of path: [UInt8], _ directory: CInt) throws(SystemError) -> stat {
        var status = stat()
        _ = try System.call("lstat") { System.withPath(path) { fstatat(directory, $0, &status, AT_SYMLINK_NOFOLLOW) } }
        return status
    }
}
