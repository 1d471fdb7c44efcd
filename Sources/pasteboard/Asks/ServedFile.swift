import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A file that is sent for an ask: as a descriptor if the destination accepts one, otherwise as bytes.
final class ServedFile {
    let ask: UInt64
    let record: AskRecord
    private(set) var failure: Failure?
    private let input: InputBytes
    /// nil for an input that is not a file.
    private var outgoing: OutgoingFile?
    private var hasBegun = false

    /// The size of the file when the ask arrived.
    let byteCount: UInt64
    var sent: UInt64 { outgoing?.sent ?? 0 }

    init(_ input: InputBytes, ask: UInt64, record: AskRecord) {
        self.ask = ask
        self.record = record
        self.input = input
        // Bytes that were appended since it was opened belong to it; a shorter file fails below.
        let size = input.file.flatMap { try? System.status(of: $0.raw).size } ?? 0
        let byteCount = max(input.size ?? 0, size)
        self.byteCount = byteCount
        outgoing = input.file.map { OutgoingFile($0, byteCount: byteCount) }
    }

    /// Sends as much as can be sent now.
    ///
    /// - Returns: whether nothing is left to do.
    func serve(_ connection: BlockingConnection) throws -> Bool {
        guard let file = input.file, let room = connection.io.state.sendable(ask) else { return true }
        if !hasBegun {
            hasBegun = true
            noteReplacement()
            let status = try? System.status(of: file.raw)
            guard let size = status?.size, size >= byteCount else {
                return fail(connection, "was shortened to \(ByteCount.text(status?.size ?? 0))", errno: 0)
            }
            if connection.io.pass(file, byteCount: byteCount, on: ask) {
                outgoing?.advance(by: byteCount)
                return true
            }
            connection.io.state.answer(ask, byteCount: byteCount)
        }
        let next: OutgoingChunk?
        do throws(OutgoingFile.ReadError) {
            next = try outgoing?.next(room: room)
        } catch {
            switch error {
            case .unreadable(let error):
                return fail(connection, "cannot be read: \(error.reason)", errno: error.errno)
            case .truncated: return fail(connection, "was shortened", errno: 0)
            }
        }
        guard var chunk = next else { return false }
        // One frame, so that the other files have their turn. The rest of the chunk is read again.
        _ = try connection.io.sendFrame(of: &chunk, on: ask)
        outgoing?.advance(by: UInt64(chunk.sent))
        return connection.io.state.sendable(ask) == nil
    }

    /// Editors replace a file by another one, and the one that was offered is sent.
    private func noteReplacement() {
        guard let path = input.path, let there = try? System.status(at: path), there.kind == .regular,
            let opened = input.opened, !there.isSameFile(as: opened)
        else { return }
        StandardStreams.note("\(input.lastName) has been replaced since it was offered; the earlier file is sent")
    }

    private func fail(_ connection: BlockingConnection, _ what: String, errno: CInt) -> Bool {
        let source = SourceFailure(domain: "pasteboard.file", code: Int64(errno), message: what)
        let failure = Failure(.sourceFailed, "\(input.lastName) \(what)", source: source)
        connection.io.state.fail(ask, failure)
        self.failure = failure
        return true
    }
}
