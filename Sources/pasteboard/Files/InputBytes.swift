import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// A file or standard input that is sent to the broker; it is opened before anything is sent. Small contents are read
/// and sent. The kernel moves large ones into memory that the broker takes over; they never enter this process.
final class InputBytes {
    /// The number of bytes moved at once; limited, so that contents that do not fit are noticed early.
    private static let moved = 8 << 20

    /// The path as the user wrote it; nil for standard input.
    let path: SystemString?
    /// The name in messages.
    var name: String { path?.description ?? "standard input" }
    /// The name for messages to other processes, which must not learn the directory.
    var lastName: String { fileName?.description ?? name }
    /// The last component of the path. That of `copy .` does not contain the folder's name.
    private var fileName: SystemString? {
        path?.lastComponent.flatMap { [".", ".."].contains($0) ? folder?.name : $0 }
    }

    private enum Input {
        /// Arguments, which are in `head`.
        case words
        /// A pipe, a terminal or a device. Without a descriptor it is standard input, here and in a file.
        case stream(DescriptorBox?, FileStatus)
        /// - Parameter size: the number of bytes left to read.
        case file(DescriptorBox?, FileStatus, size: UInt64)
        /// Its bytes are those of its archive.
        case folder(FolderInput, FileStatus)
    }

    private let input: Input
    /// The changes to the bytes, which depend on their type.
    var filter = TextFilter(TextFilter.Options(), type: nil)
    /// The first bytes, which were read to determine the type.
    private var head: [UInt8] = []
    private var hasEnded = false

    /// The number of bytes left to read; nil if the file system does not report it.
    var size: UInt64? { if case .file(_, _, let size) = input { size } else { nil } }
    private var isFile: Bool { size != nil }
    /// The status of the file when it was opened; nil for words.
    var opened: FileStatus? {
        switch input {
        case .words: nil
        case .stream(_, let status), .file(_, let status, _), .folder(_, let status): status
        }
    }
    /// The folder, if the input is one.
    var folder: FolderInput? { if case .folder(let folder, _) = input { folder } else { nil } }
    /// The file, if it can be read at any offset and any time; nil for a pipe and for standard input.
    var file: DescriptorBox? { if case .file(let file, _, _) = input { file } else { nil } }
    /// Whether the bytes can be read more than once: those of a file or of a folder.
    var isPromisable: Bool { file != nil || folder != nil }

    private func raw() throws -> CInt {
        switch input {
        case .words: 0
        case .stream(let file, _), .file(let file, _, _): file?.raw ?? 0
        case .folder(let folder, _): try folder.output()
        }
    }

    /// - Parameter path: nil for standard input.
    init(_ path: SystemString?) throws {
        self.path = path
        do {
            let descriptor = try path.map { DescriptorBox(try System.open($0)) }
            let raw = descriptor?.raw ?? 0
            let status = try System.status(of: raw)
            if status.kind == .directory, let descriptor, let path {
                input = .folder(try FolderInput(descriptor, path: path), status)
            } else if status.kind == .regular {
                let size = status.size - min(status.size, try System.position(of: raw))
                input = .file(descriptor, status, size: size)
            } else {
                input = .stream(descriptor, status)
            }
        } catch let error as SystemError {
            var failure = CommandFailure("cannot read", path?.description ?? "standard input", error)
            let isCopied = Invocation.current.command == CopyCommand.syntax.name
            if error.errno == ENOENT, isCopied { failure.addHint(copying: path?.text ?? "") }
            throw failure
        }
    }

    /// Words that were given as arguments, joined by blanks.
    init(words: [SystemString]) {
        head = Array(words.map(\.bytes).joined(separator: [UInt8(ascii: " ")]))
        hasEnded = true
        (path, input) = (nil, .words)
    }

    /// The attributes of the file; nil for standard input. They contain no name if the path is that of a descriptor, as
    /// in `copy <(cmd)`, where it is `/dev/fd/63`, or that of a device or other special file of the system.
    var attributes: FileAttributes? {
        guard let path, let opened else { return nil }
        var attributes = FileAttributes()
        if isFile || folder != nil { attributes = FileAttributes(of: opened) }
        let isSystems = path.bytes.starts(with: "/dev/".utf8) && !isFile && folder == nil
        guard !isSystems, path.directory != "/dev/fd", !path.bytes.starts(with: "/proc/".utf8) else {
            return attributes
        }
        attributes.name = fileName?.bytes
        return attributes
    }

    func isSameFile(as other: InputBytes) -> Bool {
        guard let opened, let others = other.opened else { return false }
        return opened.isSameFile(as: others)
    }

    /// Whether the path still leads to the file, and the file has not been changed since it was opened.
    func isUnchanged() throws(SystemError) -> Bool {
        guard file != nil, let path, let opened else { return false }
        let there = try System.open(path, .nonBlocking)
        return try System.status(of: there.raw).isUnchanged(since: opened)
    }

    /// The type of the bytes, by the names and the first bytes.
    func fileType(named names: [String]) throws -> FileType {
        try readHead(upTo: FileType.headLength(named: names))
        let head = self.head
        return FileType(named: names, head: head.span, isWhole: hasEnded)
    }

    private func readHead(upTo limit: Int) throws {
        while head.count < limit, !hasEnded {
            let chunk = try read(upTo: limit - head.count)
            hasEnded = chunk.isEmpty
            head += chunk
        }
    }

    /// Whether no bytes are left after the requested changes.
    func isEmpty() throws -> Bool {
        guard folder == nil else { return false }
        // No change removes more than CR LF.
        try readHead(upTo: 3)
        var (filter, head) = (filter, head)
        if hasEnded { head = try filter.next(head.span) + filter.finish() }
        return hasEnded && head.isEmpty
    }

    /// Whether there are more bytes than one message can carry. For a pipe this is known once that many have arrived.
    ///
    /// A small file is read whole, so that it can be written again if the broker is lost.
    func isLarge() throws -> Bool {
        if let size, size > WireLimits.inlineLength { return true }
        try readHead(upTo: Int(WireLimits.inlineLength) + 1)
        return !hasEnded
    }

    /// Moves all bytes into an empty file in memory, for a broker that has `room` for more bytes. Only the last newline
    /// can be omitted.
    ///
    /// - Parameter moved: called with the number of bytes moved so far.
    /// - Returns: the complete file; an anonymous one if the directory of the empty one has no room for all bytes.
    func memory(_ file: MemoryFile, room: KeptRoom, moved report: (UInt64) -> Void) throws -> MemoryFile {
        do {
            var file = file
            try file.append(head.span)
            var count = UInt64(head.count)
            head = []
            while count <= room.free {
                // Others may fill the file system of the directory meanwhile.
                if file.isInDirectory,
                    count + UInt64(Self.moved) > room.directory || !System.hasRoom(file.descriptor.raw)
                {
                    file = try file.anonymousCopy(of: count)
                }
                guard let moved = try move(to: file) else { break }
                count += UInt64(moved)
                report(count)
            }
            guard count <= room.free else { throw room.failure(count, isMinimum: true) }
            if !filter.isEmpty { try file.trimNewline() }
            return try file.completed()
        } catch let error as SystemError where error.shortage == .noSpace {
            throw Failure(
                .noSpace,
                "cannot keep \(name), because the system has no room for it (\(error.reason)); use 'pasteboard offer'"
            )
        } catch let error as SystemError {
            throw CommandFailure("cannot copy", name, error)
        }
    }

    /// Moves the next bytes, and returns their number; nil at the end.
    private func move(to file: MemoryFile) throws -> Int? {
        let raw = try self.raw()
        while !hasEnded {
            let data = try isFile ? skipHole(file) : (hole: 0, count: Self.moved)
            guard data.hole == 0 else { return data.hole }
            let moved =
                isFile
                ? try System.sendFile(raw, to: file.descriptor.raw, count: min(data.count, Self.moved))
                : try System.splice(raw, to: file.descriptor.raw, count: Self.moved)
            switch moved {
            case .count(let count):
                if count > 0 { return count }
                hasEnded = true
                try folder?.finish()
            case .blocked:
                _ = try System.poll([PollInterest(raw, .readable)], milliseconds: nil)
            case .unsupported:
                // A socket, a terminal, a device.
                let chunk = try System.read(raw, upTo: WireLimits.dataLength)
                hasEnded = chunk.isEmpty
                try file.append(chunk.span)
                if !chunk.isEmpty { return chunk.count }
            }
        }
        return nil
    }

    /// Skips a hole of the input, and leaves a hole in the memory file. Returns its length, and the number of bytes
    /// after it that are data.
    private func skipHole(_ file: MemoryFile) throws -> (hole: Int, count: Int) {
        let raw = try self.raw()
        let position = try System.position(of: raw)
        let data = try System.data(of: raw, from: position)
        try System.seek(raw, to: data.lowerBound)
        let hole = data.lowerBound - position
        if hole > 0 {
            let size = try file.size + hole
            try System.truncate(file.descriptor.raw, to: size)
            try System.seek(file.descriptor.raw, to: size)
        }
        // At the end the system is asked whether the file has grown.
        return (Int(clamping: hole), data.isEmpty ? Self.moved : Int(clamping: data.count))
    }

    /// The source of the bytes for a write; used once.
    func source() throws -> ByteSource {
        // Input that has ended is not read again: a terminal would need another Ctrl-D.
        hasEnded
            ? .bytes(try next() + filter.finish()) : .pieces(of: try raw()) { try self.next() }
    }

    /// The next bytes; empty at the end.
    func next() throws -> [UInt8] {
        while true {
            let chunk = try nextUnchanged()
            guard !filter.isEmpty else { return chunk }
            guard !chunk.isEmpty else { return try filter.finish() }
            let changed = try filter.next(chunk.span)
            // A chunk that is only a newline is held back; an empty chunk would mean the end.
            if !changed.isEmpty { return changed }
        }
    }

    private func nextUnchanged() throws -> [UInt8] {
        if !self.head.isEmpty {
            let head = self.head
            self.head = []
            return head
        }
        return hasEnded ? [] : try read(upTo: WireLimits.dataLength)
    }

    private func read(upTo limit: Int) throws -> [UInt8] {
        let chunk = try explaining("cannot read", name) { try System.read(try raw(), upTo: limit) }
        if chunk.isEmpty { try folder?.finish() }
        return chunk
    }
}

/// The room that the broker has for kept bytes.
struct KeptRoom {
    let pool: UInt64
    private(set) var free: UInt64
    /// The room in the kept directory.
    private(set) var directory: UInt64

    init(_ welcome: Welcome) {
        directory = welcome.keptDirectoryRoom ?? 0
        free = welcome.keptFree ?? welcome.keptPool ?? .max
        pool = welcome.keptPool ?? free
    }

    /// Takes room for `count` bytes.
    mutating func take(_ count: UInt64) {
        free -= min(free, count)
        directory -= min(directory, count)
    }

    /// - Parameter isMinimum: whether there may be more than `count` bytes.
    func failure(_ count: UInt64, isMinimum: Bool = false) -> Failure {
        Failure(
            .noSpace,
            "cannot keep \(ByteCount.text(count))\(isMinimum ? " or more" : ""): of the \(ByteCount.text(pool)) that "
                + "the broker can keep, \(ByteCount.text(free)) are free for one program; clear a pasteboard, start "
                + "the broker with a larger --limit kept-pool, or use 'pasteboard offer'"
        )
    }
}

extension CommandFailure {
    /// Adds how to copy a text to the error about a missing file, unless it is clearly the name of a file.
    fileprivate mutating func addHint(copying text: String) {
        let isName = text.contains("/") || !FileType.declaredTypes(forFileNamed: text).isEmpty
        guard !isName, !text.isEmpty, !text.contains("'") else { return }
        let isWord = text.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        self.text? +=
            "; to copy this text: pasteboard copy -e \(text.hasPrefix("-") ? "-- " : "")\(isWord ? text : "'\(text)'")"
    }
}
