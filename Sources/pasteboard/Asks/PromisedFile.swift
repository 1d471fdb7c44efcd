import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A file that is sent for each ask: as a descriptor if the destination accepts one, otherwise as bytes.
struct PromisedFile: Sendable {
    private let file: DescriptorBox
    private let path: SystemString?
    private let name: String
    private let opened: FileStatus?
    private let openedSize: UInt64

    init(_ file: DescriptorBox, _ input: InputBytes) {
        self.file = file
        (path, name, opened, openedSize) = (input.path, input.lastName, input.opened, input.size ?? 0)
    }

    /// The size now. Bytes that were appended since it was opened belong to it; a shorter file fails.
    var byteCount: UInt64 { max(openedSize, (try? System.status(of: file.raw).size) ?? 0) }

    /// Answers an ask with the first `byteCount` bytes.
    ///
    /// - Parameter sent: called with the number of bytes after each step.
    func send(_ byteCount: UInt64, to ask: AskStream, sent report: (UInt64) -> Void) async throws {
        noteReplacement()
        let size = (try? System.status(of: file.raw).size) ?? 0
        guard size >= byteCount else { throw failure("was shortened to \(ByteCount.text(size))", errno: 0) }
        guard !ask.pass(file, byteCount: byteCount) else { return report(byteCount) }
        ask.announce(byteCount: byteCount)
        var offset: UInt64 = 0
        repeat {
            let bytes = try read(from: offset, to: byteCount)
            offset += UInt64(bytes.count)
            try await ask.send(bytes, isLast: offset == byteCount)
            report(offset)
        } while offset < byteCount
    }

    /// All bytes.
    ///
    /// - Parameter acquire: called before more bytes are taken; returns false if there is no room for them.
    /// - Returns: nil if there is no room.
    func bytes(_ acquire: (UInt64) -> Bool) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            let piece = try [UInt8](capacity: WireLimits.dataLength) { (output) throws(SystemError) in
                _ = try System.read(file.raw, at: UInt64(bytes.count), into: &output)
            }
            if piece.isEmpty { return bytes }
            guard acquire(UInt64(piece.count)) else { return nil }
            bytes += piece
        }
    }

    /// Reads as much as one frame carries.
    private func read(from offset: UInt64, to end: UInt64) throws(Failure) -> [UInt8] {
        let count = Int(clamping: min(end - offset, UInt64(WireLimits.dataLength)))
        do throws(SystemError) {
            let bytes = try System.bytes(of: file.raw, from: offset, count: count)
            if bytes.count == count { return bytes }
        } catch {
            throw failure("cannot be read: \(error.reason)", errno: error.errno)
        }
        throw failure("was shortened", errno: 0)
    }

    /// Editors replace a file by another one, and the one that was offered is sent.
    private func noteReplacement() {
        guard let path, let there = try? System.status(at: path), there.kind == .regular, let opened,
            !there.isSameFile(as: opened)
        else { return }
        StandardStreams.note("\(name) has been replaced since it was offered; the earlier file is sent")
    }

    private func failure(_ what: String, errno: CInt) -> Failure {
        let source = SourceFailure(domain: "pasteboard.file", code: Int64(errno), message: what)
        return Failure(.sourceFailed, "\(name) \(what)", source: source)
    }
}
