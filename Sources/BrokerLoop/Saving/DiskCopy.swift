import BrokerState
import Glibc
package import PasteboardTransport
package import PasteboardWire

/// The disk of a broker.
package enum Disk: Sendable {
    /// Nothing is, or will be, on it.
    case none
    case copy(DiskCopy)
    /// The reason why contents cannot be left on it, although they should be.
    case unusable(String)

    var copy: DiskCopy? { if case .copy(let copy) = self { copy } else { nil } }
}

/// The copy of the kept directory on the disk, which a broker leaves when it ends normally, and which is read when the
/// kept directory has gone with the user's session or a restart of the machine.
///
/// It is valid until contents are written or cleared. All calls to the disk are on threads that are given up if the
/// disk does not answer.
package final class DiskCopy: Sendable {
    /// The times after which the disk is given up, in milliseconds.
    package struct Times: Sendable {
        /// For opening the directory at the start.
        var open = 1_000
        /// For reading the copy at the start.
        var read = 3_000
        /// For the copy at the end.
        var write = 5_000

        package init() {}
    }

    private static let chunk = 256 << 10

    /// The copy, as a directory.
    private static let name: SystemString = "copy"
    /// A copy that is being written. It gets the name when it is complete.
    private static let newName: SystemString = "new"
    /// An invalid copy whose files are being removed.
    private static let voidName: SystemString = "void"

    /// A directory in `pasteboard/kept` of the user's directory for state, one for each socket.
    package let directory: DescriptorBox
    private let path: String
    private let times: Times
    /// The maximum size in bytes; 0 if no copy is made or read.
    private let limit: UInt64
    /// Held while a thread changes the copy. Its value tells whether the last one is written: a thread that began
    /// earlier and makes the copy void comes too late then.
    private let isLast = Lock(false)

    /// Opens the directory, if there is a copy or one may be made; nil otherwise.
    package init?(for socket: SocketPath, limit: UInt64, times: Times = Times()) throws(Failure) {
        let path = try Self.path(for: socket)
        // Most brokers have no copy, and need no thread to find that out.
        if limit == 0, System.exists(path, milliseconds: times.open) == false { return nil }
        let opened = DiskCall.run(milliseconds: times.open, with: nil) {
            (_) -> Result<DescriptorBox?, Failure> in
            Result { () throws(Failure) in try Self.open(path, creating: limit > 0) }
        }
        guard let opened else { throw Failure(.sourceFailed, "\(path): the disk does not answer") }
        guard let directory = try opened.get() else { return nil }
        (self.directory, self.path, self.limit, self.times) = (directory, path, limit, times)
    }

    private static func path(for socket: SocketPath) throws(Failure) -> String {
        guard let parent = System.stateDirectory() else {
            throw Failure(.brokerUnavailable, "neither XDG_STATE_HOME nor HOME is an absolute path")
        }
        return "\(parent)/kept/\(KeptDirectory.name(for: socket))"
    }

    private static func open(_ path: String, creating: Bool) throws(Failure) -> DescriptorBox? {
        do throws(SocketPathError) {
            if creating { try SocketPath.createDirectory(path) }
        } catch {
            throw Failure(.brokerUnavailable, "\(error)")
        }
        do throws(SystemError) {
            let opened = DescriptorBox(try System.open(path, [.directory, .notFollowingLinks]))
            let status = try System.status(of: opened.raw)
            guard status.owner == System.userID else {
                throw SystemError(call: "open", errno: EPERM, subject: "\(path), which belongs to user \(status.owner)")
            }
            if status.mode & 0o077 != 0 { try System.setMode(0o700, of: opened.raw) }
            return opened
        } catch {
            if !creating, error.errno == ENOENT || error.errno == ENOTDIR { return nil }
            throw Failure(.brokerUnavailable, "\(error)")
        }
    }

    // MARK: Void

    /// Invalidates the copy, because contents were written or cleared. Does not wait for the disk. If it fails, the
    /// copy at the end fails, too, and says so.
    package func makeVoid() { remove([Self.newName, Self.name]) }

    /// Removes copies without waiting for the disk.
    private func remove(_ names: [SystemString]) {
        try? SystemThread(name: "pb-disk") { [self] in
            System.keepDescriptors([directory.raw])
            isLast.withLock { isLast in
                guard !isLast else { return }
                for name in names { try? removeAll(name) }
            }
        }.detach()
    }

    /// Removes a copy, or what is left of one: first the name by which it is found.
    private func removeAll(_ name: SystemString) throws(SystemError) {
        try removeFiles()
        guard let status = try System.status(at: name, in: directory.raw) else { return }
        guard status.kind == .directory else { return try System.unlink(name, in: directory.raw) }
        try System.rename(name, in: directory.raw, to: Self.voidName, in: directory.raw)
        try synchronize(directory.raw)
        try removeFiles()
    }

    /// Removes the files of an invalid copy.
    private func removeFiles() throws(SystemError) {
        guard try System.status(at: Self.voidName, in: directory.raw) != nil else { return }
        let opened = try System.open(Self.voidName, in: directory.raw, [.directory, .notFollowingLinks])
        for name in try System.entries(of: opened.raw) { try System.unlink(name, in: opened.raw) }
        try System.removeEmpty(Self.voidName, in: directory.raw, isFolder: true)
    }

    private func synchronize(_ directory: CInt) throws(SystemError) {
        do throws(SystemError) {
            try System.synchronize(directory)
        } catch {
            // Not every file system can synchronize a directory.
            guard error.errno == EINVAL else { throw error }
        }
    }

    // MARK: Reading

    /// Copies what is on the disk into the kept directory, unless that has it already. A broker without the limit
    /// leaves it where it is. A copy that is not current is removed.
    ///
    /// - Parameters:
    ///   - room: the number of bytes that may be kept.
    ///   - log: is passed what was not read.
    package func begin(with kept: KeptDirectory, room: UInt64, log: (String) -> Void) {
        switch kept.copyState {
        case .changed: return makeVoid()
        case .unread where limit > 0: break
        case .unread, .current: return remove([Self.newName])
        }
        // The thread may go on after its timeout, so that only this one renames the files. It has no lock of the kept
        // directory: otherwise no other broker could take that over.
        let copied = Lock<[(temporary: SystemString, name: SystemString)]>([])
        let (room, raw) = (min(room, kept.room), kept.raw)
        let result = DiskCall.run(milliseconds: times.read, with: [directory.raw, raw]) {
            [self] (isWaiting) -> Result<Void, any Error> in
            isLast.withLock { _ in
                Result {
                    try read(into: raw, room: room, isWaiting: isWaiting) { names in
                        copied.withLock { $0 += names }
                    }
                }
            }
        }
        for (temporary, name) in copied.withLock({ exchange(&$0, with: []) }) {
            try? kept.rename(temporary, to: name)
        }
        switch result {
        // Another start may read the rest.
        case nil: return log("the disk does not answer: not everything in \(path) was read")
        case .success: break
        case .failure(let error): log("cannot take all contents from \(path): \(error)")
        }
        kept.setCopyState(.current)
    }

    /// Copies the files of the boards, small ones first.
    private func read(
        into kept: CInt,
        room: UInt64,
        isWaiting: () -> Bool,
        _ copied: ([(temporary: SystemString, name: SystemString)]) -> Void
    ) throws {
        try removeAll(Self.newName)
        guard try System.status(at: Self.name, in: directory.raw) != nil else { return }
        // Contents that cannot be removed would come back at each start, even if they were cleared.
        guard System.isWritable(directory.raw) else { throw SystemError(call: "write", errno: EROFS, subject: path) }
        let opened = try System.open(Self.name, in: directory.raw, [.directory, .notFollowingLinks])
        var boards: [(files: [(name: SystemString, file: DescriptorBox)], size: UInt64)] = []
        var failure: (any Error)?
        for name in try System.entries(of: opened.raw).filter({ $0.description.hasPrefix(KeptDirectory.Prefix.board) })
        where isWaiting() {
            do {
                boards.append(try board(name, in: opened.raw))
            } catch {
                failure = error
            }
        }
        var (room, number) = (min(room, limit), 0)
        for board in boards.sorted(by: { $0.size < $1.size }) where isWaiting() {
            guard board.size <= room else {
                failure = Failure(.noSpace, "there is no room for \(board.size) bytes of a pasteboard")
                continue
            }
            room -= board.size
            var names: [(temporary: SystemString, name: SystemString)] = []
            for (name, file) in board.files {
                number += 1
                let temporary = SystemString("\(KeptDirectory.Prefix.copied)\(number)")
                try? System.unlink(temporary, in: kept)
                let new = try System.create(temporary, in: kept, mode: 0o400)
                guard try copy(file.raw, to: new.raw, isWaiting: isWaiting) else { return }
                names.append((temporary, name))
            }
            copied(names)
        }
        if let failure { throw failure }
    }

    /// Opens the files of a board, that of the description last.
    private func board(
        _ name: SystemString,
        in directory: CInt
    ) throws -> (files: [(name: SystemString, file: DescriptorBox)], size: UInt64) {
        let (file, size) = try KeptDirectory.open(name, in: directory)
        var (files, total): ([(name: SystemString, file: DescriptorBox)], UInt64) = ([], size)
        for large in try BoardFile.read(file, size: size).contents.keptNames where !large.isEmpty {
            guard large.hasPrefix(KeptDirectory.Prefix.representation), !large.contains("/") else {
                throw Failure(.invalidArgument, "\(name) is damaged")
            }
            let (file, size) = try KeptDirectory.open(SystemString(large), in: directory)
            files.append((SystemString(large), file))
            total = total.addingClamped(size)
        }
        return (files + [(name, file)], total)
    }

    /// Copies a file. Returns false if nobody waits any more.
    private func copy(_ input: CInt, to output: CInt, isWaiting: () -> Bool) throws(SystemError) -> Bool {
        var offset: UInt64 = 0
        while isWaiting() {
            let bytes = try System.bytes(of: input, from: offset, count: Self.chunk)
            if bytes.isEmpty { return true }
            try System.write(bytes.span, to: output)
            offset += UInt64(bytes.count)
        }
        return false
    }

    // MARK: Writing

    /// Leaves a copy of these files, entirely or not at all. Not called if the earlier copy is current, which a failure
    /// would destroy.
    ///
    /// - Parameter boards: the files of each board.
    /// - Returns: the reason why something is not on the disk; nil if everything is.
    func write(_ boards: [[SavedFile]], from kept: KeptDirectory) -> String? {
        guard limit > 0 else { return nil }
        let used = boards.joined().map(\.file.raw) + [directory.raw]
        let result = DiskCall.run(milliseconds: times.write, with: used) {
            [self] (isWaiting) -> Result<Bool, SystemError> in
            isLast.withLock { isLast in
                isLast = true
                return Result { () throws(SystemError) in try write(boards, isWaiting: isWaiting) }
            }
        }
        switch result {
        case nil: return "\(path): the disk does not answer in time"
        case .failure(let error): return "\(path): \(error)"
        case .success(let isWhole):
            kept.setCopyState(.current)
            return isWhole ? nil : "the limit kept-on-disk, \(limit) bytes, has no room for all of them"
        }
    }

    private func write(_ boards: [[SavedFile]], isWaiting: () -> Bool) throws(SystemError) -> Bool {
        for name in [Self.newName, Self.name] { try removeAll(name) }
        guard !boards.isEmpty else { return true }
        try System.makeEmpty(Self.newName, in: directory.raw, isFolder: true)
        let opened = try System.open(Self.newName, in: directory.raw, [.directory, .notFollowingLinks])
        var (room, isWhole) = (limit, true)
        for board in boards {
            var size: UInt64 = 0
            for (_, file) in board { size = size.addingClamped(try System.status(of: file.raw).size) }
            guard size <= room else {
                isWhole = false
                continue
            }
            room -= size
            for (name, file) in board {
                let copied = try System.create(name, in: opened.raw, mode: 0o400)
                guard try copy(file.raw, to: copied.raw, isWaiting: isWaiting) else { return false }
                try System.synchronize(copied.raw)
            }
        }
        try synchronize(opened.raw)
        // If the broker does not wait any more, its successor may have made a newer one.
        guard isWaiting() else { return false }
        try System.rename(Self.newName, in: directory.raw, to: Self.name, in: directory.raw)
        try synchronize(directory.raw)
        return isWhole
    }

    // MARK: For the user

    /// Whether a broker that starts now at this path may find contents on the disk.
    package static func exists(for socket: SocketPath) -> Bool {
        guard let path = try? path(for: socket), (try? System.status(at: "\(path)/\(name)")) != .some(nil) else {
            return false
        }
        // A broker that cannot read its limits says so when it starts.
        return (try? DaemonOptions([])).map { $0.limits.keptOnDisk > 0 } ?? true
    }

    /// Describes the copy of the broker at this path for the user; nil if the limits cannot be read. Throws if contents
    /// on the disk would be lost.
    package static func examine(for socket: SocketPath) throws(Failure) -> String? {
        guard let limits = (try? DaemonOptions([]))?.limits else { return nil }
        guard limits.keptOnDisk > 0 else { return "no contents are kept on it (limit kept-on-disk)" }
        let path = try path(for: socket)
        do throws(SocketPathError) {
            try SocketPath(path).tryDirectory()
        } catch {
            throw Failure(.noSpace, "the contents cannot be kept: \(error); correct that, or set kept-on-disk=0")
        }
        return "contents are kept in \(path) when the broker ends"
    }
}
