import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A file that is sent for an ask: as a descriptor if the destination accepts one, otherwise as bytes.
final class ServedFile {
    let ask: UInt64
    let byteCount: UInt64
    let record: AskRecord
    private(set) var sent: UInt64 = 0
    private(set) var failure: Failure?
    private let input: InputBytes
    private var hasBegun = false

    init(_ input: InputBytes, ask: UInt64, record: AskRecord) {
        self.ask = ask
        self.record = record
        self.input = input
        // Bytes that were appended since it was opened belong to it; a shorter file fails below.
        let size = input.file.flatMap { try? System.status(of: $0.raw).size } ?? 0
        byteCount = max(input.size ?? 0, size)
    }

    /// Sends as much as can be sent now.
    ///
    /// - Returns: whether nothing is left to do.
    func serve(_ connection: BlockingConnection) throws -> Bool {
        guard let file = input.file, let room = connection.io.state.sendable(ask) else { return true }
        if !hasBegun {
            hasBegun = true
            let status = try? System.status(of: file.raw)
            guard let size = status?.size, size >= byteCount else {
                return fail(connection, "was shortened to \(ByteCount.text(status?.size ?? 0))", errno: 0)
            }
            if connection.io.pass(file, byteCount: byteCount, on: ask) {
                sent = byteCount
                return true
            }
            connection.io.state.answer(ask, byteCount: byteCount)
        }
        let count = Int(clamping: min(byteCount - sent, UInt64(min(room, WireLimits.dataLength))))
        guard count > 0 || byteCount == 0 else { return false }
        let bytes: [UInt8]
        do {
            bytes = try [UInt8](capacity: count) { (output) throws(SystemError) in
                var offset = sent
                while !output.isFull {
                    let count = try System.read(file.raw, at: offset, into: &output)
                    if count == 0 { break }
                    offset += UInt64(count)
                }
            }
        } catch {
            return fail(connection, "cannot be read: \(error.reason)", errno: error.errno)
        }
        guard bytes.count == count else { return fail(connection, "was shortened", errno: 0) }
        let isLast = sent + UInt64(count) == byteCount
        let taken = try connection.io.send(bytes.span, on: ask, last: isLast) ?? 0
        sent += UInt64(taken)
        return connection.io.state.sendable(ask) == nil
    }

    private func fail(_ connection: BlockingConnection, _ what: String, errno: CInt) -> Bool {
        let source = SourceFailure(domain: "pasteboard.file", code: Int64(errno), message: what)
        let failure = Failure(.sourceFailed, "\(input.lastName) \(what)", source: source)
        connection.io.state.fail(ask, failure)
        self.failure = failure
        return true
    }
}
