import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Source and destination whose only thread drives their connections.
enum CoreRole {
    static func connection(_ socket: String) throws -> BlockingConnection {
        let deadline = MonotonicClock.deadline(milliseconds: 5_000)
        return BlockingConnection(adopting: try Socket.connect(path: socket, deadline: deadline), path: socket)
    }

    /// - Parameter board: nil for the general one, which costs the broker less than its name.
    static func load(of board: String? = nil) -> Load {
        var accept = Accept()
        accept.type = "public.data"
        var load = Load()
        load.board = board
        load.accepts = [accept]
        load.descriptorWelcome = false
        return load
    }

    /// Writes an item with one type.
    static func write(
        _ source: ByteSource,
        to board: String? = nil,
        _ connection: BlockingConnection
    ) throws {
        var write = Write()
        write.board = board
        var representation = Representation()
        representation.type = "public.data"
        _ = try connection.write(
            write,
            items: [WriteItem(representations: [(representation: representation, source: source)])]
        )
    }

    // MARK: Sources

    /// Contents for which this process does nothing more: kept by the broker, as after `pasteboard copy`, or promised.
    static func hold(_ source: ByteSource, _ socket: String) throws -> Never {
        let connection = try connection(socket)
        try write(source, connection)
        try Role.say("ready")
        while true { withExtendedLifetime(connection) { _ = pause() } }
    }

    /// One promise, and the same bytes for each ask.
    static func source(_ socket: String, bytes size: Int) throws -> Never {
        let connection = try connection(socket)
        let chunk = [UInt8](repeating: 7, count: min(size, WireLimits.dataLength))
        /// The number of bytes sent for each ask that has waited for credit.
        var sent: [UInt64: Int] = [:]
        var streams: [UInt64] = []
        try write(.promised, connection)
        try Role.say("ready")
        while true {
            try connection.turn { _, event, _ in
                switch event {
                case .asked(let stream, _), .askCredit(let stream): streams.append(stream)
                case .askCancelled(let stream): sent[stream] = nil
                default: break
                }
            }
            for stream in streams {
                let before = sent.isEmpty ? 0 : sent[stream] ?? 0
                let now = try send(chunk.span, from: before, of: size, on: stream, through: &connection.io)
                if now < size || before > 0 { sent[stream] = now == size ? nil : now }
            }
            streams.removeAll(keepingCapacity: true)
        }
    }

    /// Sends as many bytes as there is credit for. Returns the number of all bytes sent.
    private static func send(
        _ bytes: Span<UInt8>,
        from before: Int,
        of size: Int,
        on stream: UInt64,
        through io: inout ConnectionIO
    ) throws(Failure) -> Int {
        var sent = before
        while sent < size {
            let payload = bytes.extracting(0..<min(bytes.count, size - sent))
            guard let taken = try io.send(payload, on: stream, last: sent + payload.count == size), taken > 0
            else { break }
            sent += taken
        }
        return sent
    }

    // MARK: Destination

    static func destination(_ socket: String, _ work: LoadWork, relay: pid_t) throws {
        let connections = try (0..<work.shape.connections).map { _ in
            let connection = try connection(socket)
            _ = try connection.welcome()
            return connection
        }
        let epoll = try Epoll()
        for (index, connection) in connections.enumerated() {
            try epoll.add(connection.io.descriptor, .readable, token: UInt64(index))
        }
        _ = try load(work, work.warmUpCount, connections, epoll)
        let measurement = Measurement(relay: relay)
        try measurement.report(try load(work, work.count, connections, epoll))
    }

    /// Returns the times between the ends of loads, which for loads one after the other are their times.
    private static func load(
        _ work: LoadWork,
        _ count: Int,
        _ connections: [BlockingConnection],
        _ epoll: borrowing Epoll
    ) throws -> [UInt64] {
        let load = EncodedLoad(load(), standardCredit: ClientState.standardWindow)
        var events = EpollEvents()
        var ends = LoadEnds()
        var times: [UInt64] = []
        var asked = 0
        func ask(_ connection: BlockingConnection, atMost more: Int) throws {
            for _ in 0..<min(more, count - asked) {
                _ = try connection.io.state.open(load)
                asked += 1
            }
            try connection.io.flush()
        }
        var start = MonotonicClock.now()
        for connection in connections { try ask(connection, atMost: work.shape.depth) }
        while ends.count < count {
            try epoll.wait(into: &events, milliseconds: nil)
            for index in 0..<events.count {
                let connection = connections[Int(events[index].token)]
                let before = ends.count
                _ = try connection.io.pump { state, event, _ in ends.handle(event, &state) }
                if let failure = ends.failure { throw failure }
                if ends.count > before {
                    let now = MonotonicClock.now()
                    times.append(now - start)
                    start = now
                }
                try ask(connection, atMost: ends.count - before)
            }
        }
        guard ends.bytes == count * work.bytes else { throw BenchError("received \(ends.bytes) bytes") }
        return times
    }
}

/// The number of loads that have ended, and of the bytes that have arrived.
private struct LoadEnds {
    var count = 0
    var bytes = 0
    var failure: Failure?

    mutating func handle(_ event: ClientEvent, _ state: inout ClientState) {
        switch event {
        case .data(let stream, let payload, let last):
            bytes += payload.count
            if last { count += 1 } else { state.consumed(stream, count: payload.count) }
        case .ended: count += 1
        case .failed(_, let reason): failure = reason
        default: break
        }
    }
}
