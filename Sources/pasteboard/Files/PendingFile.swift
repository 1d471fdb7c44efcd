import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A file that has no name until it is complete: no process sees a partial file, and a killed writer leaves nothing.
///
/// On a file system without unnamed files, the file has a ``WorkingName`` until then. The next run removes a leftover.
final class PendingFile {
    private let path: SystemString
    /// The directory itself: its path may lead elsewhere by the time the file is complete.
    private let directory: DescriptorBox
    private let descriptor: DescriptorBox
    /// The requested permissions.
    private var mode: UInt32
    /// The working name of the file; nil if it has none.
    private var workingName: SystemString?

    var raw: CInt { descriptor.raw }

    /// - Parameters:
    ///   - shown: the path of the directory in errors.
    ///   - mode: the permissions, before the umask applies.
    ///   - mayBeUnnamed: whether the file may be unnamed if the file system supports that.
    init(
        inDirectory path: SystemString,
        shown: SystemString? = nil,
        mode: UInt32 = 0o666,
        mayBeUnnamed: Bool = true
    ) throws {
        self.path = shown ?? path
        self.mode = mode
        do {
            let directory = DescriptorBox(try System.open(path, [.nameOnly, .directory]))
            self.directory = directory
            if mayBeUnnamed, let unnamed = try Self.unnamed(in: directory, mode: mode) {
                descriptor = unnamed
                // The lock marks the file as in use, in case it gets a working name at its end.
                _ = try? System.lock(unnamed.raw)
            } else {
                let named = try WorkingName.create(in: directory.raw) { (name) throws(SystemError) in
                    // The next run has to be able to open a leftover.
                    DescriptorBox(try System.create(name, in: directory.raw, mode: mode | 0o600))
                }
                descriptor = named.file
                workingName = named.name
            }
        } catch {
            throw CommandFailure("cannot create a file in", shown ?? path, error)
        }
    }

    deinit {
        if let workingName { try? System.removeEmpty(workingName, in: directory.raw, isFolder: false) }
    }

    /// A file without a name; nil if such files cannot be created, or could not be named later.
    private static func unnamed(in directory: DescriptorBox, mode: UInt32) throws(SystemError) -> DescriptorBox? {
        do throws(SystemError) {
            let file = DescriptorBox(try System.createUnnamed(in: directory.raw, mode: mode))
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
        try explaining("cannot write", name) { try System.write(bytes, to: raw) }
    }

    /// Moves the file to its final name, and replaces any file of that name.
    ///
    /// - Parameter mode: the permissions of the file that is replaced.
    func keep(as name: SystemString, mode: UInt32? = nil) throws {
        try explaining("cannot create", path.appending(name)) {
            if let mode { try System.setMode(mode, of: raw) } else { try narrowMode() }
            if workingName == nil {
                if try move(to: name) { return }
                // Only a file with a name can replace another.
                let file = descriptor
                let directory = self.directory
                workingName = try WorkingName.create(in: directory.raw) { (name) throws(SystemError) in
                    try System.link(file.raw, to: name, in: directory.raw)
                    return file
                }.name
            }
            guard let workingName else { return }
            try System.rename(workingName, in: directory.raw, to: name, in: directory.raw)
            self.workingName = nil
        }
    }

    /// Moves the file to the first name that is not taken or may be replaced, and returns its path.
    func keep(as name: SafeFileName, in output: OutputDirectory) throws -> SystemString {
        for number in 1...10_000 {
            let candidate = name.candidate(number)
            let path = path.appending(candidate)
            if output.mayReplace(path) {
                guard try System.status(at: path)?.kind != .directory else {
                    throw CommandFailure(
                        local: "cannot replace \(path), because it is a directory and the item is a file; move it"
                    )
                }
                try keep(as: candidate)
                return path
            }
            let isNamed = try explaining("cannot create", path) {
                try narrowMode()
                return try move(to: candidate)
            }
            if isNamed { return path }
        }
        throw CommandFailure(
            local:
                "cannot create \(name.candidate(1)) in \(path), because 10000 files with that name exist; use another directory"
        )
    }

    /// Removes the permissions that its owner had only while the file had a working name.
    private func narrowMode() throws(SystemError) {
        guard mode & 0o600 != 0o600 else { return }
        try System.setMode(try System.status(of: raw).mode & mode, of: raw)
    }

    /// Moves the file to a name, unless that is taken; returns whether it did.
    private func move(to name: SystemString) throws(SystemError) -> Bool {
        do throws(SystemError) {
            guard let workingName else {
                try System.link(raw, to: name, in: directory.raw)
                return true
            }
            let isNamed = try System.renameUnlessTaken(workingName, in: directory.raw, to: name, in: directory.raw)
            if isNamed { self.workingName = nil }
            return isNamed
        } catch {
            if error.errno == EEXIST { return false }
            throw error
        }
    }

    /// Sets the modification time of the original file.
    func setModificationTime(of file: FileAttributes, for name: SystemString) throws {
        try explaining("cannot set the modification time of", name) { try file.setModificationTime(of: raw) }
    }
}
