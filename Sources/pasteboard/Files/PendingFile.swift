import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A file that has no name until it is complete: no process sees a partial file, and a killed writer leaves nothing.
///
/// On a file system without unnamed files, the file has a ``WorkingName`` until then. The next run removes a leftover.
final class PendingFile {
    private let directory: SystemString
    private let descriptor: DescriptorBox
    /// The requested permissions.
    private var mode: UInt32
    /// The path of the file under its working name; nil if it has none.
    private var workingPath: SystemString?

    var raw: CInt { descriptor.raw }

    /// - Parameters:
    ///   - mode: the permissions, before the umask applies.
    ///   - mayBeUnnamed: whether the file may be unnamed if the file system supports that.
    init(inDirectory directory: SystemString, mode: UInt32 = 0o666, mayBeUnnamed: Bool = true) throws {
        self.directory = directory
        self.mode = mode
        do {
            if mayBeUnnamed, let unnamed = try Self.unnamed(in: directory, mode: mode) {
                descriptor = unnamed
                // The lock marks the file as in use, in case it gets a working name at its end.
                _ = try? System.lock(unnamed.raw)
            } else {
                let named = try WorkingName.take(in: directory) { (path) throws(SystemError) in
                    // The next run has to be able to open a leftover.
                    let options: OpenOptions = [.writing, .exclusive, .notFollowingLinks]
                    return DescriptorBox(try System.open(path, options, mode: mode | 0o600))
                }
                descriptor = named.file
                workingPath = named.path
            }
        } catch {
            throw CommandFailure("cannot create a file in", directory, error)
        }
    }

    deinit {
        if let workingPath { try? System.unlink(workingPath) }
    }

    /// A file without a name; nil if such files cannot be created, or could not be named later.
    private static func unnamed(in directory: SystemString, mode: UInt32) throws(SystemError) -> DescriptorBox? {
        do throws(SystemError) {
            let file = DescriptorBox(try System.open(directory, [.writing, .unnamed], mode: mode))
            return try System.status(at: "/proc/self/fd/\(file.raw)") == nil ? nil : file
        } catch {
            // The errors of file systems and kernels without O_TMPFILE, and of file systems in user space.
            if [EOPNOTSUPP, EISDIR, EINVAL, ENOSYS].contains(error.errno) { return nil }
            throw error
        }
    }

    /// Removes the permissions that `mode` does not contain.
    func narrow(to mode: UInt32) throws(SystemError) {
        self.mode &= mode
        // Under a working name the file keeps the permissions that its owner needs.
        try System.setMode(try System.status(of: raw).mode & (mode | 0o600), of: raw)
    }

    func write(_ bytes: Span<UInt8>, for name: SystemString) throws {
        do {
            try System.write(bytes, to: raw)
        } catch {
            throw CommandFailure("cannot write", name, error)
        }
    }

    /// Moves the file to its final name, and replaces any file of that name.
    ///
    /// - Parameter mode: the permissions of the file that is replaced.
    func keep(as destination: SystemString, mode: UInt32? = nil) throws {
        do {
            if let mode { try System.setMode(mode, of: raw) } else { try narrowMode() }
            if self.workingPath == nil {
                if try takes(destination) { return }
                // Only a file with a name can replace another.
                let file = descriptor
                self.workingPath = try WorkingName.take(in: directory) { (path) throws(SystemError) in
                    try System.link(file.raw, to: path)
                    return file
                }.path
            }
            guard let workingPath else { return }
            try System.rename(workingPath, to: destination)
            self.workingPath = nil
        } catch {
            throw CommandFailure("cannot create", destination, error)
        }
    }

    /// Moves the file to the first name that is not taken, and returns its path.
    func keep(as name: SafeFileName) throws -> SystemString {
        for number in 1...10_000 {
            let destination = directory.appending(name.candidate(number))
            do {
                try narrowMode()
                if try takes(destination) { return destination }
            } catch {
                throw CommandFailure("cannot create", destination, error)
            }
        }
        throw CommandFailure(
            local:
                "cannot create \(name.candidate(1)) in \(directory), because 10000 files with that name exist; use another directory"
        )
    }

    /// Removes the permissions that its owner had only while the file had a working name.
    private func narrowMode() throws(SystemError) {
        guard mode & 0o600 != 0o600 else { return }
        try System.setMode(try System.status(of: raw).mode & mode, of: raw)
    }

    /// Moves the file to a name, unless that is taken; returns whether it did.
    private func takes(_ destination: SystemString) throws(SystemError) -> Bool {
        do throws(SystemError) {
            guard let workingPath else {
                try System.link(raw, to: destination)
                return true
            }
            guard try System.renameUnlessTaken(workingPath, to: destination) else { return false }
            self.workingPath = nil
            return true
        } catch {
            if error.errno == EEXIST { return false }
            throw error
        }
    }

    /// Sets the modification time of the original file.
    func setModificationTime(of file: FileAttributes, for name: SystemString) throws {
        do {
            try file.setModificationTime(of: raw)
        } catch {
            throw CommandFailure("cannot set the modification time of", name, error)
        }
    }

    /// Waits until the bytes would survive a crash of the machine.
    func synchronize(for name: SystemString) throws {
        do {
            try System.synchronize(raw)
        } catch {
            throw CommandFailure("cannot write", name, error)
        }
    }
}
