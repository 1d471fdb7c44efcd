import CPasteboardSystem
import Glibc

/// The options for opening a file. Every descriptor is close-on-exec.
package struct OpenOptions: OptionSet, Sendable {
    package let rawValue: CInt

    package init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// Read-only, unless combined with another access.
    package static let reading: OpenOptions = []
    package static let writing = OpenOptions(rawValue: O_WRONLY)
    package static let readingAndWriting = OpenOptions(rawValue: O_RDWR)
    /// Creates the file if it does not exist.
    package static let creating = OpenOptions(rawValue: O_CREAT)
    /// Creates the file, and fails if it exists, even as a symbolic link.
    package static let exclusive = OpenOptions(rawValue: O_CREAT | O_EXCL)
    package static let truncating = OpenOptions(rawValue: O_TRUNC)
    package static let appending = OpenOptions(rawValue: O_WRONLY | O_APPEND)
    package static let directory = OpenOptions(rawValue: O_DIRECTORY)
    /// Fails if the last component is a symbolic link.
    package static let notFollowingLinks = OpenOptions(rawValue: O_NOFOLLOW)
    /// Opens the name alone (O_PATH): nothing waits, and only the name has to be accessible.
    package static let nameOnly = OpenOptions(rawValue: 0x20_0000)
    package static let nonBlocking = OpenOptions(rawValue: O_NONBLOCK)
    /// Creates a file without a name in a directory. Not every file system supports that.
    package static let unnamed = OpenOptions(rawValue: 0o20000000 | O_DIRECTORY)
}

extension System {
    /// Opens `path`. A file that this call creates gets `mode` without the bits of the process's mask.
    package static func open(
        _ path: some SystemPath,
        _ options: OpenOptions = .reading,
        mode: UInt32 = 0o600
    ) throws(SystemError) -> OwnedDescriptor {
        let raw = try call("open", path.description) {
            path.withPath { Glibc.open($0, options.rawValue | O_CLOEXEC, mode) }
        }
        return OwnedDescriptor(adopting: raw)
    }

    /// The contents of a small file, at most `limit` bytes.
    package static func contents(of path: some SystemPath, limit: Int = 1 << 16) throws(SystemError) -> [UInt8] {
        let file = try open(path)
        var contents: [UInt8] = []
        while contents.count < limit {
            let chunk = try read(file.raw, upTo: min(4096, limit - contents.count))
            if chunk.isEmpty { break }
            contents += chunk
        }
        return contents
    }

    /// Whether the disk of an open file is not full.
    package static func hasRoom(_ descriptor: CInt) -> Bool { pbs_has_room(descriptor) != 0 }

    /// The position up to which an open file has been read or written.
    package static func position(of descriptor: CInt) throws(SystemError) -> UInt64 {
        UInt64(clamping: try call("lseek", "descriptor \(descriptor)") { lseek(descriptor, 0, SEEK_CUR) })
    }

    /// Whether the position is at the end of a regular file that is not open for appending.
    package static func isAtEnd(_ output: CInt) throws(SystemError) -> Bool {
        let status = try status(of: output)
        guard status.kind == .regular, try openFlags(of: output) & O_APPEND == 0 else { return false }
        return try position(of: output) == status.size
    }

    /// Sets the position of a file.
    package static func seek(_ descriptor: CInt, to position: UInt64) throws(SystemError) {
        _ = try call("lseek", "descriptor \(descriptor)") { lseek(descriptor, off_t(clamping: position), SEEK_SET) }
    }

    /// Finds the next range of data from `offset` on, and moves the position. If only a hole follows, the range is
    /// empty, at the end of the file. On a file system without holes, it is the rest of the file.
    package static func data(of descriptor: CInt, from offset: UInt64) throws(SystemError) -> Range<UInt64> {
        let end = max(offset, try status(of: descriptor).size)
        let data = lseek(descriptor, off_t(clamping: offset), CInt(PBS_SEEK_DATA))
        guard data >= 0 else { return errno == ENXIO ? end..<end : offset..<end }
        let hole = lseek(descriptor, data, CInt(PBS_SEEK_HOLE))
        let start = max(offset, UInt64(data))
        return start..<max(start, hole < 0 ? end : UInt64(hole))
    }

    /// Renames a file, and replaces a file that has the new name.
    package static func rename(_ old: some SystemPath, to new: some SystemPath) throws(SystemError) {
        _ = try call("rename to", new.description) { old.withPath { old in new.withPath { Glibc.rename(old, $0) } } }
    }

    /// Gives an open file without a name a name in a directory; throws `EEXIST` if the name is taken.
    package static func link(_ descriptor: CInt, to name: SystemString, in directory: CInt) throws(SystemError) {
        // Linking the descriptor itself needs a privilege; following its link in /proc does not.
        _ = try call("link", name.description) {
            name.withPath { linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", directory, $0, AT_SYMLINK_FOLLOW) }
        }
    }

    /// Creates a symbolic link.
    package static func makeLink(to target: some SystemPath, at path: some SystemPath) throws(SystemError) {
        _ = try call("symlink", path.description) {
            target.withPath { target in path.withPath { symlink(target, $0) } }
        }
    }

    package static func unlink(_ path: some SystemPath) throws(SystemError) {
        _ = try call("unlink", path.description) { path.withPath { Glibc.unlink($0) } }
    }

    package static func removeDirectory(_ path: some SystemPath) throws(SystemError) {
        _ = try call("rmdir", path.description) { path.withPath { rmdir($0) } }
    }

    /// Creates a directory, but not those above it.
    package static func makeDirectory(_ path: some SystemPath, mode: UInt32 = 0o700) throws(SystemError) {
        _ = try call("mkdir", path.description) { path.withPath { mkdir($0, mode) } }
    }

    /// Sets the modification time of a file, in seconds and nanoseconds since 1970. The access time becomes the current
    /// time, because some file systems in user space can set only both.
    package static func setModificationTime(
        seconds: Int64,
        nanoseconds: UInt32,
        of descriptor: CInt
    ) throws(SystemError) {
        let now = timespec(tv_sec: 0, tv_nsec: Int((1 << 30) - 1))  // UTIME_NOW
        let time = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(min(nanoseconds, 999_999_999)))
        _ = try call("futimens", "descriptor \(descriptor)") { futimens(descriptor, [now, time]) }
    }

    /// Acquires the advisory lock of an open file or directory, if it is free. The lock is released with the last
    /// descriptor of this open file, however the process ends.
    ///
    /// - Returns: whether this process has the lock now.
    package static func lock(_ descriptor: CInt) throws(SystemError) -> Bool {
        try callUnlessBlocked("flock") { flock(descriptor, LOCK_EX | LOCK_NB) } != nil
    }

    package static func setMode(_ mode: UInt32, of descriptor: CInt) throws(SystemError) {
        _ = try call("fchmod", "descriptor \(descriptor)") { fchmod(descriptor, mode) }
    }

    package static func truncate(_ descriptor: CInt, to size: UInt64) throws(SystemError) {
        _ = try call("ftruncate", "descriptor \(descriptor)") { ftruncate(descriptor, off_t(clamping: size)) }
    }

    /// Waits until the file's contents are on the disk.
    package static func synchronize(_ descriptor: CInt) throws(SystemError) {
        _ = try call("fsync", "descriptor \(descriptor)") { fsync(descriptor) }
    }

    /// Whether this process may run the program at `path`.
    package static func isExecutable(_ path: some SystemPath) -> Bool {
        path.withPath { access($0, X_OK) } == 0
    }

    /// Whether this process may create files in a directory. The file system may be read-only.
    package static func isWritable(_ directory: CInt) -> Bool {
        faccessat(directory, ".", W_OK, 0) == 0
    }

    /// The path to which a symbolic link points.
    package static func linkTarget(_ path: some SystemPath) throws(SystemError) -> SystemString {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = try call("readlink", path.description) {
            path.withPath { readlink($0, &target, Int(PATH_MAX)) }
        }
        return SystemString(target.prefix(length).map(UInt8.init(bitPattern:)))
    }
}
