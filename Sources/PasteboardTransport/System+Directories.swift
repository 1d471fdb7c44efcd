import CPasteboardSystem
import Glibc

// Directories by their descriptors, and names as the bytes that they are: a path may lead elsewhere a moment later, and a
// name need not be UTF-8.
extension System {
    /// Where an open file lies now, as far as the kernel knows.
    package static func path(of descriptor: CInt) throws(SystemError) -> [UInt8] {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let link = "/proc/self/fd/\(descriptor)"
        let length = try call("readlink", link) { readlink(link, &path, path.count) }
        return path.prefix(length).map(UInt8.init(bitPattern:))
    }

    /// The directory that an open directory is in, to run programs in it and to find names from it.
    package static func openParent(of directory: CInt) throws(SystemError) -> OwnedDescriptor {
        let pathOnly: CInt = 0x20_0000
        return OwnedDescriptor(
            adopting: try call("open the directory above") {
                openat(directory, "..", pathOnly | O_DIRECTORY | O_CLOEXEC)
            }
        )
    }

    /// The names in a directory, or in one that a path leads to from there, except `.` and `..`, in no order.
    package static func entries(
        of directory: CInt,
        _ path: [UInt8] = [UInt8(ascii: ".")]
    ) throws(SystemError) -> [[UInt8]] {
        // The stream reads by a position of its own, and closes its descriptor.
        let copy = try openDirectory(path, in: directory).release()
        guard let stream = fdopendir(copy) else {
            let code = errno
            _ = close(copy)
            throw SystemError(call: "read directory", errno: code)
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                let code = errno
                if code != 0 { throw SystemError(call: "read directory", errno: code) }
                return names
            }
            // The name ends with its NUL, within the record that the stream lends until the next call.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 1) { name in
                    Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
                }
            }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
    }

    /// The status of a name in a directory; a symbolic link is not followed. Nil if there is nothing.
    package static func status(
        at name: [UInt8],
        in directory: CInt
    ) throws(SystemError) -> FileStatus? {
        var raw = pbs_status()
        do throws(SystemError) {
            _ = try call("lstat") { withPath(name) { pbs_status(directory, $0, 1, &raw) } }
        } catch {
            if error.errno == ENOENT || error.errno == ENOTDIR { return nil }
            throw error
        }
        return FileStatus(raw)
    }

    package static func makeDirectory(_ name: [UInt8], in directory: CInt) throws(SystemError) {
        _ = try call("mkdir") { withPath(name) { mkdirat(directory, $0, 0o700) } }
    }

    /// Opens a directory by its name in another one; a symbolic link is not followed.
    package static func openDirectory(_ name: [UInt8], in directory: CInt) throws(SystemError) -> OwnedDescriptor {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
        let raw = try call("open directory") { withPath(name) { openat(directory, $0, flags) } }
        return OwnedDescriptor(adopting: raw)
    }

    package static func setMode(_ mode: UInt32, of name: [UInt8], in directory: CInt) throws(SystemError) {
        _ = try call("chmod") { withPath(name) { fchmodat(directory, $0, mode, 0) } }
    }

    /// Has everything on the disk, when it returns, that was written to the file system of an open file.
    package static func synchronizeFileSystem(of descriptor: CInt) throws(SystemError) {
        _ = try call("syncfs") { pbs_sync_file_system(descriptor) }
    }

    /// Gives a name to something that has another one, perhaps in another directory.
    ///
    /// - Parameter replacing: with false, a name that is taken already is an error, EEXIST.
    package static func rename(
        _ old: [UInt8],
        in directory: CInt,
        to new: [UInt8],
        in target: CInt,
        replacing: Bool = true
    ) throws(SystemError) {
        _ = try call("rename to", String(decoding: new, as: UTF8.self)) {
            withPath(old) { old in withPath(new) { pbs_rename(directory, old, target, $0, replacing ? 1 : 0) } }
        }
    }

    /// Lends the bytes as the null-terminated path that the system's calls take.
    static func withPath<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer { bytes in
            // There is at least the NUL.
            body(bytes.baseAddress.unsafelyUnwrapped)
        }
    }

    /// Reads or writes from the start again.
    package static func rewind(_ descriptor: CInt) throws(SystemError) {
        _ = try call("lseek", "descriptor \(descriptor)") { lseek(descriptor, 0, SEEK_SET) }
    }
}
