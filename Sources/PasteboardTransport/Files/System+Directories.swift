import CPasteboardSystem
import Glibc

// Calls with a directory's descriptor and a name, because a path may lead to another file a moment later.
extension System {
    /// The directory that contains an open directory, to run programs in it and to resolve names from it.
    package static func openParent(of directory: CInt) throws(SystemError) -> OwnedDescriptor {
        let options: OpenOptions = [.nameOnly, .directory]
        return OwnedDescriptor(
            adopting: try call("open the directory above") {
                openat(directory, "..", options.rawValue | O_CLOEXEC)
            }
        )
    }

    /// Opens a file in a directory. A file that this call creates gets `mode` without the bits of the process's mask.
    package static func open(
        _ name: SystemString,
        in directory: CInt,
        _ options: OpenOptions,
        mode: UInt32 = 0o600
    ) throws(SystemError) -> OwnedDescriptor {
        let raw = try call("open", name.description) {
            name.withPath { openat(directory, $0, options.rawValue | O_CLOEXEC, mode) }
        }
        return OwnedDescriptor(adopting: raw)
    }

    /// Creates a file for writing whose name another process may have chosen: it is created in this directory or not at
    /// all. Throws EEXIST if the name is taken, even by a symbolic link to nothing.
    ///
    /// - Parameter open: replaces the call of the system in tests.
    package static func create(
        _ name: SystemString,
        in directory: CInt,
        mode: UInt32,
        open: (CInt, UnsafePointer<CChar>, CInt, UInt32) -> CInt = pbs_open_beneath
    ) throws(SystemError) -> OwnedDescriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        do throws(SystemError) {
            return OwnedDescriptor(
                adopting: try call("create", name.description) { name.withPath { open(directory, $0, flags, mode) } }
            )
        } catch {
            // A kernel before 5.6, or a container whose filter refuses calls that it does not know. The check of the
            // name has the same effect, because a single component is not resolved further.
            guard [ENOSYS, EPERM].contains(error.errno), name.isName else { throw error }
        }
        return OwnedDescriptor(
            adopting: try call("create", name.description) { name.withPath { openat(directory, $0, flags, mode) } }
        )
    }

    /// The names in a directory, or in one at a path relative to it, except `.` and `..`, in no order.
    package static func entries(
        of directory: CInt,
        _ path: SystemString = "."
    ) throws(SystemError) -> [SystemString] {
        // A copy, because the stream has its own position and closes its descriptor.
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
        let copy = try call("open", path.description) { path.withPath { openat(directory, $0, flags) } }
        guard let stream = fdopendir(copy) else {
            let code = errno
            _ = close(copy)
            throw SystemError(call: "read directory", errno: code)
        }
        defer { closedir(stream) }
        var names: [SystemString] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                let code = errno
                if code != 0 { throw SystemError(call: "read directory", errno: code) }
                return names
            }
            // The name ends with a NUL inside the record, which is valid until the next call.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 1) { name in
                    SystemString(UnsafeRawBufferPointer(start: name, count: strlen(name)))
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Opens a file in a directory for writing that has no name yet. Not every file system supports that.
    package static func createUnnamed(in directory: CInt, mode: UInt32) throws(SystemError) -> OwnedDescriptor {
        let options: OpenOptions = [.writing, .unnamed]
        return OwnedDescriptor(
            adopting: try call("create a file") { openat(directory, ".", options.rawValue | O_CLOEXEC, mode) }
        )
    }

    package static func setMode(
        _ mode: UInt32,
        of name: SystemString,
        in directory: CInt = AT_FDCWD
    ) throws(SystemError) {
        _ = try call("chmod", name.description) { name.withPath { fchmodat(directory, $0, mode, 0) } }
    }

    /// Renames a file or directory, possibly into another directory.
    ///
    /// - Parameter replacing: if false, throws EEXIST if the new name is taken.
    package static func rename(
        _ old: SystemString,
        in directory: CInt,
        to new: SystemString,
        in target: CInt,
        replacing: Bool = true
    ) throws(SystemError) {
        _ = try call("rename to", new.description) {
            old.withPath { old in new.withPath { pbs_rename(directory, old, target, $0, replacing ? 1 : 0) } }
        }
    }

    /// Exchanges two files or directories, so that each gets the other's name.
    package static func exchange(
        _ first: SystemString,
        in directory: CInt,
        with second: SystemString,
        in target: CInt
    ) throws(SystemError) {
        _ = try call("exchange with", second.description) {
            first.withPath { first in second.withPath { pbs_exchange(directory, first, target, $0) } }
        }
    }

    /// Renames a file or directory, unless the new name is taken.
    ///
    /// - Returns: false if the name is taken.
    package static func renameUnlessTaken(
        _ old: SystemString,
        in directory: CInt = AT_FDCWD,
        to new: SystemString,
        in target: CInt = AT_FDCWD
    ) throws(SystemError) -> Bool {
        do throws(SystemError) {
            do throws(SystemError) {
                try rename(old, in: directory, to: new, in: target, replacing: false)
                return true
            } catch {
                guard [EINVAL, ENOSYS].contains(error.errno) else { throw error }
            }
            // The file system cannot rename exclusively. An empty file or folder reserves the name first; a rename
            // alone would replace a file that was created in the meantime.
            let isFolder = try status(at: old, in: directory)?.kind == .directory
            try makeEmpty(new, in: target, isFolder: isFolder)
            do throws(SystemError) {
                try rename(old, in: directory, to: new, in: target)
            } catch {
                try? removeEmpty(new, in: target, isFolder: isFolder)
                throw error
            }
            return true
        } catch {
            if error.isTaken { return false }
            throw error
        }
    }

    /// Creates an empty file or folder; throws EEXIST if the name is taken.
    package static func makeEmpty(
        _ name: SystemString,
        in directory: CInt,
        isFolder: Bool
    ) throws(SystemError) {
        if isFolder {
            _ = try call("mkdir", name.description) { name.withPath { mkdirat(directory, $0, 0o700) } }
        } else {
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let raw = try call("create", name.description) { name.withPath { openat(directory, $0, flags, 0o600) } }
            _ = OwnedDescriptor(adopting: raw)
        }
    }

    package static func unlink(_ name: SystemString, in directory: CInt) throws(SystemError) {
        _ = try call("unlink", name.description) { name.withPath { unlinkat(directory, $0, 0) } }
    }

    package static func removeEmpty(
        _ name: SystemString,
        in directory: CInt,
        isFolder: Bool
    ) throws(SystemError) {
        _ = try call("unlink", name.description) {
            name.withPath { unlinkat(directory, $0, isFolder ? AT_REMOVEDIR : 0) }
        }
    }

    /// Waits until all writes to the file system of an open file are on the disk.
    package static func synchronizeFileSystem(of descriptor: CInt) throws(SystemError) {
        _ = try call("syncfs") { pbs_sync_file_system(descriptor) }
    }

    /// Sets the position of an open file to its start.
    package static func rewind(_ descriptor: CInt) throws(SystemError) {
        try seek(descriptor, to: 0)
    }
}
