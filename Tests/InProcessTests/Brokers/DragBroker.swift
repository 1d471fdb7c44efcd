import BlockingClient
import BrokerLoop
import BrokerState
import PasteboardClient
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport

/// A broker for which every connection is a separate process, unless a test names the process. None of its deadlines
/// ends a wait.
final class DragBroker: Sendable {
    /// The event source through which other threads add connections and end the broker.
    private final class Entrance: EventSource, Sendable {
        private let event: EventDescriptor
        private let waiting = Lock<[(DescriptorBox, ProcessKey)]>([])
        private let isClosed = Lock(false)

        init() throws {
            event = try EventDescriptor()
        }

        var descriptor: CInt { event.raw }

        func add(_ socket: DescriptorBox, of process: ProcessKey) {
            waiting.withLock { $0.append((socket, process)) }
            event.signal()
        }

        func close() {
            isClosed.withLock { $0 = true }
            event.signal()
        }

        func ready(in loop: inout BrokerLoop) {
            event.drain()
            let new = self.waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for (socket, process) in new {
                guard let socket = try? System.duplicate(socket.raw) else { continue }
                loop.adopt(socket, of: process)
            }
            guard isClosed.withLock({ $0 }) else { return }
            // The second call ends the broker at once.
            loop.stop()
            loop.stop()
        }

        func draining(in loop: inout BrokerLoop) {}
    }

    private static let timeouts = [
        "first-byte": "10m", "progress": "10m", "hello": "10m", "proposal": "10m", "drop-window": "10m",
        "conclude": "10m", "session": "20m",
    ]

    private let entrance: Entrance
    private let over = Gate()
    private let processes = Lock<UInt32>(1_000)

    private init(_ limits: [String: String]) throws {
        var bounds = BrokerLimits.standard
        for (name, value) in Self.timeouts.merging(limits, uniquingKeysWith: { $1 }) {
            try bounds.set("\(name)=\(value)")
        }
        self.entrance = try Entrance()
        try SystemThread(name: "broker") { [entrance, over, bounds] in
            var loop = try? BrokerLoop(state: try BrokerServer.state(bounds)) { _ in }
            try? loop?.add(entrance)
            try? loop?.run()
            over.open()
        }.detach()
    }

    /// Runs `body` with a broker, and ends the broker afterwards.
    static func with<Result>(
        limits: [String: String] = [:],
        _ body: (DragBroker) async throws -> Result
    ) async throws -> Result {
        let broker = try DragBroker(limits)
        do {
            let result = try await body(broker)
            await broker.stop()
            return result
        } catch {
            await broker.stop()
            throw error
        }
    }

    /// The number of watches, with which sources wait for a destination.
    var waits: UInt64 {
        get throws {
            try status().compactMap(\.counter).first { $0.name == "watches" }?.value ?? 0
        }
    }

    /// Whether the broker has a connection of the process.
    func isConnected(_ process: UInt32) throws -> Bool {
        try status().contains { $0.peer?.process == process }
    }

    /// Whether the broker has a drag session that is not restricted.
    func hasSessions() throws -> Bool {
        try status().contains { $0.session != nil }
    }

    private func status() throws -> [StatusEntry] {
        let pair = try Socket.pair()
        let own = try System.duplicate(pair.first.raw)
        entrance.add(DescriptorBox(try System.duplicate(pair.second.raw)), of: ProcessKey(pid: 1, identity: 1))
        let connection = BlockingConnection(adopting: own, path: "test")
        connection.io.timeouts = .endless
        return try connection.status()
    }

    /// Ends the broker at once.
    func stop() async {
        entrance.close()
        await over.wait()
    }

    /// Connects another process, or the given one again.
    func connect(process: UInt32? = nil) -> PasteboardConnection {
        let process =
            process
            ?? processes.withLock { number in
                number += 1
                return number
            }
        return PasteboardConnection(timeouts: .endless) { [entrance] _ in
            let pair = try Socket.pair()
            let own = try System.duplicate(pair.first.raw)
            entrance.add(
                DescriptorBox(try System.duplicate(pair.second.raw)),
                of: ProcessKey(pid: process, identity: 1)
            )
            return BrokerSocket(descriptor: own, path: "test")
        }
    }
}
