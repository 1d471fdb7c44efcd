import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// A file or standard input on its way to the broker: opened before anything is sent, read as it is sent.
final class InputBytes {
    /// How much of it decides whether it is text.
    private static let sniffed = 64 << 10

    private let name: String
    private let descriptor: DescriptorBox?
    private var trimmer: NewlineTrimmer?
    /// Read already, to look at it.
    private var head: [UInt8] = []
    private var hasEnded = false
    /// What is left to read, where the file system tells it.
    let size: UInt64?

    private var raw: CInt { self.descriptor?.raw ?? 0 }

    /// - Parameter path: nil for standard input.
    init(_ path: String?, trimsNewline: Bool) throws {
        self.name = path ?? "standard input"
        self.trimmer = trimsNewline ? NewlineTrimmer() : nil
        do {
            self.descriptor = try path.map { (path) throws(SystemError) in DescriptorBox(try System.open(path)) }
            let raw = self.descriptor?.raw ?? 0
            let status = try System.status(of: raw)
            if status.kind == .directory { throw CommandFailure(local: "cannot copy \(self.name): it is a directory") }
            self.size =
                status.kind == .regular ? status.size - min(status.size, try System.position(of: raw)) : nil
        } catch let error as SystemError {
            throw CommandFailure("cannot read", self.name, error)
        }
    }

    /// What the bytes are by the look of their start: nothing at all counts as text.
    func sniffType() throws -> UniformType {
        while self.head.count < Self.sniffed, !self.hasEnded {
            let piece = try self.read(upTo: Self.sniffed - self.head.count)
            self.hasEnded = piece.isEmpty
            self.head += piece
        }
        let head = self.head
        let isText = UTF8Scan.isText(head.span, isWhole: self.hasEnded)
        return isText ? .utf8PlainText : .data
    }

    /// For a write, once.
    func source() throws -> ByteSource {
        // Nothing waits for input that has ended: a terminal would want to be told so again.
        self.hasEnded ? .bytes(try self.next()) : .pieces(of: self.raw) { try self.next() }
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
            return try System.read(self.raw, upTo: limit)
        } catch {
            throw CommandFailure("cannot read", self.name, error)
        }
    }
}
