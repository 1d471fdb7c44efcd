import BlockingClient
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A source on the blocking client: one promise, the same bytes or the same memory file for each ask.
struct CoreSource {
    private let connection: BlockingConnection
    private let size: Int
    private let chunk: [UInt8]
    private let file: MemoryFile?
    /// The number of bytes sent for each ask that has waited for credit.
    private var sent: [UInt64: Int] = [:]

    init(_ socket: String, bytes: Int, passesFile: Bool) throws {
        connection = try CoreConnection.open(socket)
        size = bytes
        let chunk = [UInt8](repeating: 7, count: min(bytes, WireLimits.dataLength))
        self.chunk = chunk
        file = passesFile ? try MemoryFile() : nil
        if let file {
            for _ in 0..<bytes / chunk.count { try file.append(chunk.span) }
            try file.seal()
        }
    }

    mutating func run() throws {
        _ = try connection.write(Write(), items: [CoreConnection.item(.promised)])
        try Role.say("ready")
        var streams: [UInt64] = []
        while true {
            try connection.turn { _, event, _ in
                switch event {
                case .asked(let stream, _), .askCredit(let stream): streams.append(stream)
                case .askCancelled(let stream): sent[stream] = nil
                default: break
                }
            }
            if let file {
                for stream in streams where !connection.io.pass(file.descriptor, byteCount: UInt64(size), on: stream) {
                    throw BenchError("the broker did not accept a descriptor")
                }
            } else {
                try send(streams, through: &connection.io)
            }
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
