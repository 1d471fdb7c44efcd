import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A source on the blocking core: one promise, the same bytes at each ask.
final class CoreSource {
    private let connection: BlockingConnection
    private let size: Int
    private let chunk: [UInt8]
    /// What the asks that are under way have been sent.
    private var sent: [UInt64: Int] = [:]

    init(_ socket: String, bytes: Int) throws {
        self.connection = try CoreConnection.open(socket)
        self.size = bytes
        self.chunk = [UInt8](repeating: 7, count: min(bytes, WireLimits.dataLength))
    }

    func run() throws {
        var representation = Representation()
        representation.type = "public.data"
        _ = try self.connection.write(
            Write(),
            items: [WriteItem(representations: [(representation: representation, source: .promised)])]
        )
        try Role.ready()
        var streams: [UInt64] = []
        while true {
            try self.connection.turn { _, event, _ in
                switch event {
                case .asked(let stream, _), .askCredit(let stream): streams.append(stream)
                case .askCancelled(let stream): self.sent[stream] = nil
                default: break
                }
            }
            for stream in streams { try self.send(stream) }
            streams.removeAll(keepingCapacity: true)
        }
    }

    private func send(_ stream: UInt64) throws {
        var sent = self.sent[stream] ?? 0
        let chunk = self.chunk
        while sent < self.size {
            let count = min(chunk.count, self.size - sent)
            let payload = chunk.span.extracting(0..<count)
            guard let taken = try self.connection.io.send(payload, on: stream, last: sent + count == self.size),
                taken > 0
            else { break }
            sent += taken
        }
        self.sent[stream] = sent == self.size ? nil : sent
    }
}

/// A destination on the blocking core.
struct CoreDestination {
    private let connection: BlockingConnection

    init(_ socket: String) throws {
        self.connection = try CoreConnection.open(socket)
        _ = try self.connection.welcome()
    }

    private var load: Load {
        var accept = Accept()
        accept.type = "public.data"
        var load = Load()
        load.accepts = [accept]
        return load
    }

    func measure(_ work: DestinationWork) throws -> Measurement {
        switch work.shape {
        case .each:
            _ = try self.each(work.warmUpCount, work.bytes)
            return try Measurement(relay: work.relay) { try self.each(work.count, work.bytes) }
        case .pipelined:
            try self.pipelined(work.warmUpCount)
            return try Measurement(relay: work.relay) {
                try self.pipelined(work.count)
                return []
            }
        case .bulk:
            return try Measurement(relay: work.relay) {
                var received = 0
                try self.connection.load(self.load) { received += $0.count }
                guard received == work.bytes else { throw BenchError("\(received) of \(work.bytes) bytes came") }
                return []
            }
        }
    }

    private func each(_ count: Int, _ bytes: Int) throws -> [UInt64] {
        let load = self.load
        var times: [UInt64] = []
        times.reserveCapacity(count)
        for _ in 0..<count {
            let start = MonotonicClock.now()
            var received = 0
            try self.connection.load(load) { received += $0.count }
            times.append(MonotonicClock.now() - start)
            guard received == bytes else { throw BenchError("\(received) of \(bytes) bytes came") }
        }
        return times
    }

    private func pipelined(_ count: Int) throws {
        let load = self.load
        var asked = 0
        var done = 0
        var failure: Failure?
        while done < count {
            while asked < count, asked - done < 64 {
                _ = try self.connection.io.state.open(load)
                asked += 1
            }
            try self.connection.turn { state, event, _ in
                switch event {
                case .data(let stream, let payload, let last):
                    state.consumed(stream, count: payload.count)
                    if last { done += 1 }
                case .ended: done += 1
                case .failed(_, let reason): failure = reason
                default: break
                }
            }
            if let failure { throw failure }
        }
    }
}

enum CoreConnection {
    static func open(_ socket: String) throws -> BlockingConnection {
        let deadline = MonotonicClock.deadline(milliseconds: 5_000)
        let descriptor = try Socket.connect(path: socket, deadline: deadline)
        Socket.enlargeBuffers(of: descriptor.raw)
        return BlockingConnection(adopting: descriptor, path: socket)
    }
}
