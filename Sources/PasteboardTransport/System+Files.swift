import CPasteboardSystem
import Glibc

/// How a file is opened. Every descriptor is close-on-exec.
package struct OpenOptions: OptionSet, Sendable {
    package let rawValue: CInt

    package init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// Without `.writing`: for reading only.
    package static let reading: OpenOptions = []
    package static let writing = OpenOptions(rawValue: O_WRONLY)
    package static let readingAndWriting = OpenOptions(rawValue: O_RDWR)
    /// Makes the file where there is none.
    package static let creating = OpenOptions(rawValue: O_CREAT)
    /// Fails where there already is a file, a symbolic link included.
    package static let exclusive = OpenOptions(rawValue: O_CREAT | O_EXCL)
    package static let truncating = OpenOptions(rawValue: O_TRUNC)
    package static let appending = OpenOptions(rawValue: O_WRONLY | O_APPEND)
    package static let directory = OpenOptions(rawValue: O_DIRECTORY)
    /// Fails where the last component is a symbolic link.
    package static let notFollowingLinks = OpenOptions(rawValue: O_NOFOLLOW)
    package static let nonBlocking = OpenOptions(rawValue: O_NONBLOCK)
}

extension System {
    /// Opens `path`; a file that this call makes gets `mode` less the process's mask.
    package static func open(
        _ path: String,
        _ options: OpenOptions = .reading,
        mode: UInt32 = 0o600
    ) throws(SystemError) -> OwnedDescriptor {
        OwnedDescriptor(adopting: try call("open", path) { Glibc.open(path, options.rawValue | O_CLOEXEC, mode) })
    }

    /// The whole contents of a file that is known to be small, at most `limit` bytes.
    package static func contents(of path: String, limit: Int = 1 << 16) throws(SystemError) -> [UInt8] {
        let file = try open(path)
        var contents: [UInt8] = []
        while contents.count < limit {
            let piece = try read(file.raw, upTo: min(4096, limit - contents.count))
            if piece.isEmpty { break }
            contents += piece
        }
        return contents
    }

    /// How far an open file has been read or written.
    package static func position(of descriptor: CInt) throws(SystemError) -> UInt64 {
        UInt64(clamping: try call("lseek", "descriptor \(descriptor)") { lseek(descriptor, 0, SEEK_CUR) })
    }

    /// Gives a file a new name, in place of whatever had that name.
    package static func rename(_ old: String, to new: String) throws(SystemError) {
        _ = try call("rename to", new) { Glibc.rename(old, new) }
    }

    package static func unlink(_ path: String) throws(SystemError) {
        _ = try call("unlink", path) { Glibc.unlink(path) }
    }

    package static func removeDirectory(_ path: String) throws(SystemError) {
        _ = try call("rmdir", path) { rmdir(path) }
    }

    /// Makes a directory, not those above it.
    package static func makeDirectory(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
        _ = try call("mkdir", path) { mkdir(path, mode) }
    }

    package static func setMode(_ mode: UInt32, of descriptor: CInt) throws(SystemError) {
        _ = try call("fchmod", "descriptor \(descriptor)") { fchmod(descriptor, mode) }
    }

    package static func truncate(_ descriptor: CInt, to size: UInt64) throws(SystemError) {
        _ = try call("ftruncate", "descriptor \(descriptor)") { ftruncate(descriptor, off_t(clamping: size)) }
    }

    /// Has the file's contents on the disk when it returns.
    package static func synchronize(_ descriptor: CInt) throws(SystemError) {
        _ = try call("fsync", "descriptor \(descriptor)") { fsync(descriptor) }
    }

    /// Whether this process may run the program at `path`.
    package static func isExecutable(_ path: String) -> Bool {
        access(path, X_OK) == 0
    }

    /// Where a symbolic link points to.
    package static func linkTarget(_ path: String) throws(SystemError) -> String {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = try call("readlink", path) { readlink(path, &target, Int(PATH_MAX)) }
        return String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
