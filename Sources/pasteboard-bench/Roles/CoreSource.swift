import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A source on the blocking client: one promise, the same bytes for each ask.
struct CoreSource {
    private let connection: BlockingConnection
    private let size: Int
    private let chunk: [UInt8]
    /// The number of bytes sent for each ask that has waited for credit.
    private var sent: [UInt64: Int] = [:]

    init(_ socket: String, bytes: Int) throws {
        connection = try CoreConnection.open(socket)
        size = bytes
        chunk = [UInt8](repeating: 7, count: min(bytes, WireLimits.dataLength))
    }

    mutating func run() throws {
        _ = try connection.write(Write(), items: [CoreConnection.item(.promised)])
        try Role.ready()
        var streams: [UInt64] = []
        while true {
            try connection.turn { _, event, _ in
                switch event {
                case .asked(let stream, _), .askCredit(let stream): streams.append(stream)
                case .askCancelled(let stream): sent[stream] = nil
                default: break
                }
            }
            try send(streams, through: &connection.io)
            streams.removeAll(keepingCapacity: true)
        }
    }

    private mutating func send(_ streams: [UInt64], through io: inout ConnectionIO) throws(Failure) {
        let chunk = self.chunk
        let bytes = chunk.span
        for stream in streams {
            let before = self.sent.isEmpty ? 0 : self.sent[stream] ?? 0
            var sent = before
            while sent < size {
                let payload = bytes.extracting(0..<min(bytes.count, size - sent))
                guard let taken = try io.send(payload, on: stream, last: sent + payload.count == size), taken > 0
                else { break }
                sent += taken
            }
            if sent < size || before > 0 { self.sent[stream] = sent == size ? nil : sent }
        }
    }
}
