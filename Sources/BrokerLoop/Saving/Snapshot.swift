import BrokerState
import Glibc
package import PasteboardTransport
package import PasteboardWire

/// The file in which a broker leaves what it keeps when it ends in order. The next broker reads it if no service
/// manager has passed it contents, and removes it.
///
/// So it is written once and read once, and what was replaced or cleared meanwhile was never in it. A disk that is
/// full, missing or hangs delays the end, or the start, by a few seconds.
package struct Snapshot: Sendable {
    /// The time without progress after which writing is given up, in milliseconds.
    private static let patience = 4_500
    /// The longest time for which the manager waits, in milliseconds. A slow disk that makes progress is not given up.
    static let longestEnd = 120_000
    /// The same for reading and removing: programs wait for the broker.
    private static let patienceAtStart = 2_000

    let directory: DescriptorBox
    /// Its path, for messages.
    let path: String
    private let name: String
    /// The maximum size in bytes.
    let limit: UInt64

    /// The snapshot of the broker at a path.
    ///
    /// - Parameter socket: the broker's path; nil if the service manager has opened the socket. Brokers at different
    ///   paths have different snapshots.
    package init(for socket: SocketPath?, limit: UInt64) throws(Failure) {
        try self.init(in: try Self.wellKnownDirectory(), name: Self.name(for: socket), limit: limit)
    }

    /// Opens the directory, which is created if it is missing.
    init(in directory: String, name: String, limit: UInt64) throws(Failure) {
        do throws(SocketPathError) {
            try SocketPath.createDirectory(directory)
        } catch {
            throw Failure(.brokerUnavailable, "\(error)")
        }
        self.directory = try asFailure { () throws(SystemError) in
            let opened = DescriptorBox(try System.open(directory, [.directory, .notFollowingLinks]))
            let status = try System.status(of: opened.raw)
            guard status.owner == System.userID else {
                throw SystemError(
                    call: "open",
                    errno: EPERM,
                    subject: "\(directory), which belongs to user \(status.owner)"
                )
            }
            if status.mode & 0o077 != 0 { try System.setMode(0o700, of: opened.raw) }
            return opened
        }
        self.name = name
        path = "\(directory)/\(name)"
        self.limit = limit
    }

    static func name(for socket: SocketPath?) -> String {
        guard let socket, !socket.isWellKnown else { return "snapshot" }
        let escaped = socket.path.unicodeScalars.map { scalar in
            switch scalar {
            case "/": "%2F"
            case "%": "%25"
            default: String(scalar)
            }
        }
        return "snapshot" + escaped.joined()
    }

    /// `pasteboard` in the user's directory for state.
    private static func wellKnownDirectory() throws(Failure) -> String {
        if let state = System.environment("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/pasteboard" }
        if let home = System.environment("HOME"), home.hasPrefix("/") { return "\(home)/.local/state/pasteboard" }
        throw Failure(.brokerUnavailable, "neither XDG_STATE_HOME nor HOME is an absolute path")
    }

    /// Whether a broker that starts now at this path may find contents on the disk.
    package static func exists(for socket: SocketPath) -> Bool {
        guard let directory = try? wellKnownDirectory(),
            (try? System.status(at: "\(directory)/\(name(for: socket))")) != nil
        else { return false }
        let options = try? DaemonOptions([], reportingBadLines: { _ in })
        return options?.limits.keptOnDisk ?? 0 > 0
    }

    /// Describes the snapshot of the broker at this path for the user. Throws if contents on the disk would be lost, or
    /// were not restored.
    package static func examine(for socket: SocketPath) throws(Failure) -> String {
        let options = try? DaemonOptions([], reportingBadLines: { _ in })
        guard options?.limits.keptOnDisk ?? 0 > 0 else { return "no contents are kept on it (limit kept-on-disk)" }
        let directory = try wellKnownDirectory()
        let path = "\(directory)/\(name(for: socket))"
        let status = try asFailure { () throws(SystemError) in try System.status(at: directory) }
        if let status, status.kind != .directory || status.owner != System.userID {
            throw Failure(.notPermitted, "\(directory) is not a directory of yours; remove it, or set XDG_STATE_HOME")
        }
        do throws(SocketPathError) {
            try SocketPath(path).tryDirectory()
        } catch {
            throw Failure(.noSpace, "the contents cannot be kept: \(error); correct that, or set kept-on-disk=0")
        }
        guard (try? System.status(at: "\(path).unread")) == .some(nil) else {
            throw Failure(
                .sourceFailed,
                "\(path).unread has contents that were not restored; see the log, and remove it"
            )
        }
        return "contents are kept in \(path) while no broker runs"
    }

    // MARK: Writing

    /// Writes the records in place of an earlier snapshot, entirely or not at all. Without records, there is none then.
    ///
    /// - Returns: the reason if that has failed; nil otherwise.
    func write(_ records: [SnapshotFile.Record]) -> String? {
        let failure = PatientCall<SystemError?>.run(patience: Self.patience) { [self] call in
            do throws(SystemError) {
                if records.isEmpty { try remove() } else { try write(records, call) }
                return nil
            } catch {
                return error
            }
        }
        guard let failure else { return "the disk does not answer" }
        return failure.map { "\($0)" }
    }

    private func write(_ records: [SnapshotFile.Record], _ call: PatientCall<SystemError?>) throws(SystemError) {
        let (new, name) = (SystemString("\(name).new"), SystemString(name))
        try? System.unlink(new, in: directory.raw)
        do throws(SystemError) {
            let file = try System.create(new, in: directory.raw, mode: 0o600)
            try SnapshotFile.write(records, to: file.raw, step: call.step)
            // If the broker does not wait any more, its successor may have a newer one.
            guard call.step() else { return try System.unlink(new, in: directory.raw) }
            try System.rename(new, in: directory.raw, to: name, in: directory.raw)
            try synchronize()
        } catch {
            try? System.unlink(new, in: directory.raw)
            throw error
        }
    }

    private func synchronize() throws(SystemError) {
        do throws(SystemError) {
            try System.synchronize(directory.raw)
        } catch {
            // Not every file system can synchronize a directory.
            guard error.errno == EINVAL else { throw error }
        }
    }

    // MARK: Reading

    typealias Records = [Result<(contents: SavedContents, kept: [MemoryFile?]), Failure>]

    /// Reads all records, in the order in which they were written. Times and writers are adapted if the machine was
    /// restarted.
    func read(_ boot: Boot) throws(Failure) -> Records {
        let result = PatientCall<Result<Records, Failure>>.run(patience: Self.patienceAtStart) { [self] call in
            Result { () throws(Failure) in try read(boot, step: call.step) }
        }
        guard let result else { throw Failure(.sourceFailed, "the disk does not answer") }
        return try result.get()
    }

    private func read(_ boot: Boot, step: () -> Bool) throws(Failure) -> Records {
        guard let file = try open() else { return [] }
        var records: Records = []
        var offset: UInt64 = 0
        while true {
            do throws(Failure) {
                guard var record = try SnapshotFile.read(file.raw, at: &offset, step: step) else { return records }
                record.contents.move(to: boot)
                records.append(.success(record))
            } catch {
                records.append(.failure(error))
            }
        }
    }

    /// Opens the file; nil if there is none.
    private func open() throws(Failure) -> DescriptorBox? {
        do throws(SystemError) {
            // Without this option, the call waits until a FIFO has a writer.
            let options: OpenOptions = [.reading, .notFollowingLinks, .nonBlocking]
            let file = DescriptorBox(try System.open(SystemString(name), in: directory.raw, options))
            let status = try System.status(of: file.raw)
            guard status.kind == .regular, status.owner == System.userID else {
                throw SystemError(call: "open", errno: EPERM, subject: "not a regular file of this user")
            }
            // Contents that cannot be removed would come back at each start, even if they were cleared.
            guard System.isWritable(directory.raw) else {
                throw SystemError(call: "remove", errno: EROFS, subject: name)
            }
            return file
        } catch {
            if error.errno == ENOENT { return nil }
            throw Failure(.sourceFailed, "\(error)")
        }
    }

    /// Removes the file, or gives it another name if not everything in it was restored.
    func discard(isRestored: Bool) throws(Failure) {
        let result = PatientCall<Result<Void, SystemError>>.run(patience: Self.patienceAtStart) { [self] _ in
            Result { () throws(SystemError) in
                if isRestored { return try remove() }
                let (name, unread) = (SystemString(name), SystemString("\(name).unread"))
                try System.rename(name, in: directory.raw, to: unread, in: directory.raw)
            }
        }
        guard let result else { throw Failure(.sourceFailed, "the disk does not answer") }
        do throws(SystemError) {
            try result.get()
        } catch {
            throw Failure(.sourceFailed, "\(error)")
        }
    }

    private func remove() throws(SystemError) {
        let name = SystemString(name)
        // Removing a name that does not exist hangs, too, if the disk does.
        guard try System.status(at: name, in: directory.raw) != nil else { return }
        try System.unlink(name, in: directory.raw)
        try synchronize()
    }
}
