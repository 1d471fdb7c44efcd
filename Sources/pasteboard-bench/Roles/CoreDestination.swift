import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A destination on the blocking client.
struct CoreDestination {
    private let connections: [BlockingConnection]
    private let work: LoadWork
    private let load: Load
    /// The same load, for many requests.
    private let encoded: EncodedLoad

    init(_ socket: String, _ work: LoadWork) throws {
        self.work = work
        connections = try (0..<work.connections).map { _ in
            let connection = try CoreConnection.open(socket)
            _ = try connection.welcome()
            return connection
        }
        var load = CoreConnection.load()
        load.descriptorWelcome = work.shape == .descriptor
        self.load = load
        encoded = EncodedLoad(load, standardCredit: ClientState.standardWindow)
    }

    func measure(relay: pid_t) throws {
        _ = try load(work.warmUpCount)
        let measurement = Measurement(relay: relay)
        try measurement.report(try load(work.count))
    }

    private func load(_ count: Int) throws -> [UInt64] {
        switch work.shape {
        case .each, .bulk: return try each(count)
        case .descriptor: return try mapped(count)
        case .pipelined: try pipelined(count)
        case .connections: try everywhere(count)
        }
        return []
    }

    private func each(_ count: Int) throws -> [UInt64] {
        var times: [UInt64] = []
        times.reserveCapacity(count)
        for _ in 0..<count {
            let start = MonotonicClock.now()
            var received = 0
            try connections[0].load(load) { received += $0.count }
            times.append(MonotonicClock.now() - start)
            try work.check(received)
        }
        return times
    }

    /// Loads descriptors, and maps the bytes.
    private func mapped(_ count: Int) throws -> [UInt64] {
        try (0..<count).map { _ in
            let start = MonotonicClock.now()
            var passed: PassedFile?
            try connections[0].load(load, file: { passed = $0 }, bytes: { _ in })
            guard let passed, let file = MemoryFile(sealed: passed.descriptor) else {
                throw BenchError("received no memory file")
            }
            let bytes = try MappedBytes(file, count: Int(passed.byteCount))
            let time = MonotonicClock.now() - start
            try work.check(bytes.count)
            return time
        }
    }

    private func pipelined(_ count: Int) throws {
        let connection = connections[0]
        var asked = 0
        var ends = LoadEnds()
        while ends.count < count {
            let more = min(count, ends.count + LoadShape.depth) - asked
            try open(more, &connection.io.state)
            asked += more
            try connection.turn { state, event, _ in ends.handle(event, &state) }
            if let failure = ends.failure { throw failure }
        }
    }

    private func open(_ count: Int, _ state: inout ClientState) throws(Failure) {
        for _ in 0..<count { _ = try state.open(encoded) }
    }

    /// Loads over all connections, which one thread watches.
    private func everywhere(_ count: Int) throws {
        let epoll = try Epoll()
        var events = EpollEvents()
        for (index, connection) in connections.enumerated() {
            try epoll.add(connection.io.descriptor, .readable, token: UInt64(index))
            _ = try connection.io.state.open(encoded)
            try connection.io.flush()
        }
        var asked = connections.count
        var done = 0
        while done < asked {
            try epoll.wait(into: &events, milliseconds: nil)
            for index in 0..<events.count {
                let connection = connections[Int(events[index].token)]
                var ends = LoadEnds()
                _ = try connection.io.pump { state, event, _ in ends.handle(event, &state) }
                if let failure = ends.failure { throw failure }
                done += ends.count
                let more = min(ends.count, count - asked)
                try open(more, &connection.io.state)
                asked += more
                try connection.io.flush()
            }
        }
        for connection in connections { try epoll.remove(connection.io.descriptor) }
    }
}

/// The number of loads that have ended.
private struct LoadEnds {
    var count = 0
    var failure: Failure?

    mutating func handle(_ event: ClientEvent, _ state: inout ClientState) {
        switch event {
        case .data(let stream, let payload, let last):
            if last { count += 1 } else { state.consumed(stream, count: payload.count) }
        case .ended: count += 1
        case .failed(_, let reason): failure = reason
        default: break
        }
    }
}
