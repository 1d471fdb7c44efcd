import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// A file or standard input on its way to the broker: opened before anything is sent. Little is read as it is sent; much
/// is moved by the kernel into memory that the broker takes over, and never comes into this process.
final class InputBytes {
    /// Moved at once: a bound, so that what does not fit is noticed on the way.
    private static let moved = 8 << 20

    /// The path as it was given; nil for standard input.
    let path: SystemString?
    /// For messages.
    var name: String { self.path?.description ?? "standard input" }
    private let descriptor: DescriptorBox?
    private var trimmer: NewlineTrimmer?
    /// Read already, to look at it.
    private var head: [UInt8] = []
    private var hasEnded = false
    /// What is left to read, where the file system tells it.
    let size: UInt64?
    private var isFile: Bool { self.size != nil }
    /// What it was when it was opened.
    private let opened: FileStatus

    /// The folder, if it is one: then the bytes are those of its archive.
    let folder: FolderInput?

    /// The file, if it is one that can be read at any place and any time, and not a pipe or standard input.
    var file: DescriptorBox? { self.isFile ? self.descriptor : nil }
    /// Whether the bytes can be had more than once: those of a file, or of a folder.
    var isPromisable: Bool { self.file != nil || self.folder != nil }

    private func raw() throws -> CInt { try self.folder?.output() ?? self.descriptor?.raw ?? 0 }

    /// - Parameters:
    ///   - path: nil for standard input.
    ///   - command: who wants it, for errors.
    init(_ path: SystemString?, trimsNewline: Bool, for command: String) throws {
        self.path = path
        do {
            self.descriptor = try path.map { (path) throws(SystemError) in DescriptorBox(try System.open(path)) }
            let raw = self.descriptor?.raw ?? 0
            let status = try System.status(of: raw)
            self.opened = status
            if status.kind == .directory, let descriptor, let path {
                self.folder = try FolderInput(descriptor, path: path)
            } else {
                self.folder = nil
            }
            self.trimmer = trimsNewline && self.folder == nil ? NewlineTrimmer() : nil
            self.size =
                status.kind == .regular ? status.size - min(status.size, try System.position(of: raw)) : nil
        } catch let error as SystemError {
            throw CommandFailure("cannot read", path?.description ?? "standard input", error)
        }
    }

    /// The attributes of the file that it is; nil for standard input. `copy <(cmd)` says `/dev/fd/63`, and nobody chose
    /// that name: what is named after a descriptor, and what is no file and has a name of the system's, has none.
    var attributes: FileAttributes? {
        guard let path else { return nil }
        var attributes = FileAttributes()
        if self.isFile || self.folder != nil { attributes = FileAttributes(of: self.opened) }
        let isSystems = path.bytes.starts(with: "/dev/".utf8) && !self.isFile && self.folder == nil
        guard !isSystems, path.directory != "/dev/fd", !path.bytes.starts(with: "/proc/".utf8) else {
            return attributes
        }
        // `copy .` gives a folder by a name that is not its own.
        attributes.name = (self.folder?.name ?? path.lastComponent)?.bytes
        return attributes
    }

    func isSameFile(as other: InputBytes) -> Bool { self.opened.isSameFile(as: other.opened) }

    /// Whether its path still leads to it, and nobody has written to it since it was opened.
    func isUnchanged() throws(SystemError) -> Bool {
        guard self.file != nil, let path else { return false }
        let there = try System.open(path, .nonBlocking)
        return try System.status(of: there.raw).isUnchanged(since: self.opened)
    }

    /// The type of the bytes by their names and their start.
    func fileType(named names: [String]) throws -> FileType {
        try self.readHead(upTo: FileType.headLength(named: names))
        let head = self.head
        return FileType(named: names, head: head.span, isWhole: self.hasEnded)
    }

    private func readHead(upTo limit: Int = FileType.maximumHeadLength) throws {
        while self.head.count < limit, !self.hasEnded {
            let piece = try self.read(upTo: limit - self.head.count)
            self.hasEnded = piece.isEmpty
            self.head += piece
        }
    }

    /// Whether there is more than goes to the broker at once. Of a pipe that is known when so much has come.
    func isLarge() throws -> Bool {
        if let size, size > 0 { return size > WireLimits.inlineLength }
        try self.readHead()
        return !self.hasEnded
    }

    /// Moves all of it into memory, for a broker that has `room` for as many bytes more.
    ///
    /// - Parameter moved: called with the number of bytes moved so far.
    func memory(room: KeptRoom, moved report: (UInt64) -> Void) throws -> MemoryFile {
        do {
            let file = try MemoryFile()
            try file.append(self.head.span)
            var count = UInt64(self.head.count)
            self.head = []
            while count <= room.free, let moved = try self.move(to: file) {
                count += UInt64(moved)
                report(count)
            }
            guard count <= room.free else { throw room.failure(atLeast: count) }
            if self.trimmer != nil, try file.endsWithNewline(count) {
                try System.truncate(file.descriptor.raw, to: count - 1)
            }
            try file.seal()
            return file
        } catch let error as SystemError where error.errno == ENOMEM || error.errno == ENOSPC {
            throw Failure(.noSpace, "cannot keep \(self.name): the system has no memory left for it")
        } catch let error as SystemError {
            throw CommandFailure("cannot copy", self.name, error)
        }
    }

    /// Nil at the end.
    private func move(to file: MemoryFile) throws -> Int? {
        let raw = try self.raw()
        while !self.hasEnded {
            let moved =
                self.isFile
                ? try System.sendFile(raw, to: file.descriptor.raw, count: Self.moved)
                : try System.splice(raw, to: file.descriptor.raw, count: Self.moved)
            switch moved {
            case .count(let count):
                if count > 0 { return count }
                self.hasEnded = true
                try self.folder?.finish()
            case .blocked:
                _ = try System.poll([PollInterest(raw, .readable)], milliseconds: nil)
            case .unsupported:
                // A socket, a terminal, a device.
                let piece = try System.read(raw, upTo: WireLimits.dataLength)
                self.hasEnded = piece.isEmpty
                try file.append(piece.span)
                if !piece.isEmpty { return piece.count }
            }
        }
        return nil
    }

    /// For a write, once.
    func source() throws -> ByteSource {
        // Nothing waits for input that has ended: a terminal would want to be told so again.
        self.hasEnded ? .bytes(try self.next()) : .pieces(of: try self.raw()) { try self.next() }
    }

    private func next() throws -> [UInt8] {
        while true {
            let piece = try self.nextUntrimmed()
            guard !piece.isEmpty, var trimmer = self.trimmer else { return piece }
            let trimmed = trimmer.next(piece.span)
            self.trimmer = trimmer
            // A piece that was a newline alone is held back whole; an empty one would mean the end.
            if !trimmed.isEmpty { return trimmed }
        }
    }

    private func nextUntrimmed() throws -> [UInt8] {
        if !self.head.isEmpty {
            let head = self.head
            self.head = []
            return head
        }
        return self.hasEnded ? [] : try self.read(upTo: WireLimits.dataLength)
    }

    private func read(upTo limit: Int) throws -> [UInt8] {
        do {
            let piece = try System.read(try self.raw(), upTo: limit)
            if piece.isEmpty { try self.folder?.finish() }
            return piece
        } catch let error as SystemError {
            throw CommandFailure("cannot read", self.name, error)
        }
    }
}

/// What the broker has room for.
struct KeptRoom {
    let pool: UInt64
    let free: UInt64

    init(_ welcome: Welcome) {
        self.free = welcome.keptFree ?? welcome.keptPool ?? .max
        self.pool = welcome.keptPool ?? self.free
    }

    private init(pool: UInt64, free: UInt64) {
        self.pool = pool
        self.free = free
    }

    /// With so many bytes taken.
    func less(_ count: UInt64) -> KeptRoom {
        KeptRoom(pool: self.pool, free: self.free - min(self.free, count))
    }

    func failure(_ count: UInt64) -> Failure {
        self.failure(of: ByteCount.text(count))
    }

    func failure(atLeast count: UInt64) -> Failure {
        self.failure(of: "\(ByteCount.text(count)) or more")
    }

    private func failure(of amount: String) -> Failure {
        Failure(
            .noSpace,
            "\(amount) do not fit: the broker keeps at most \(ByteCount.text(self.pool)), of which "
                + "\(ByteCount.text(self.free)) are free for one program; clear a pasteboard, start the broker with a greater --limit "
                + "kept-pool, or use 'pasteboard offer'"
        )
    }
}

extension MemoryFile {
    fileprivate func endsWithNewline(_ count: UInt64) throws(SystemError) -> Bool {
        guard count > 0 else { return false }
        let last = try [UInt8](capacity: 1) { (output) throws(SystemError) in
            _ = try self.read(at: count - 1, into: &output)
        }
        return last == [UInt8(ascii: "\n")]
    }
}
