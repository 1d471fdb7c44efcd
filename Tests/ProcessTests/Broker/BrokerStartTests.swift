import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Clients that start the broker they need, as the command line and the library do.
@Suite(.processes) struct BrokerStartTests {
    /// A desk whose broker is started by clients in this process.
    private let desk: Desk
    private let connector: BrokerConnector

    init() throws {
        desk = try Desk(.socket)
        connector = try BrokerConnector(environment: ProcessEnvironment(desk.environment))
    }

    private static func connect(through connector: BrokerConnector) throws(Failure) -> BlockingConnection {
        let connection = try BlockingConnection(through: connector)
        connection.io.timeouts = .endless
        return connection
    }

    @Test("Twenty clients that find no broker start one", .tags(.f69))
    func race() throws {
        let outcomes = Lock<[Result<UInt64, Failure>]>([])
        let threads = try (0..<20).map { number in
            try SystemThread(name: "client \(number)") { [connector] in
                let outcome = Result { () throws(Failure) in
                    try Self.connect(through: connector).welcome().epoch ?? 0
                }
                outcomes.withLock { $0.append(outcome) }
            }
        }
        for thread in threads { thread.join() }
        let epochs = try outcomes.withLock { $0 }.map { try $0.get() }
        #expect(epochs.count == 20)
        #expect(Set(epochs).count == 1)
    }

    @Test("Another client loads the contents of a client, kept and promised")
    func handOff() throws {
        let large = Desk.bytes(5 << 20)
        let source = try Self.connect(through: connector)
        func item(_ type: String, _ source: ByteSource) -> WriteItem {
            var representation = Representation()
            representation.type = type
            return WriteItem(representations: [(representation: representation, source: source)])
        }
        let items = [item("com.example.kept", .bytes(large)), item("com.example.promised", .promised)]
        let publication = try source.write(Write(), items: items)

        let destination = try Self.connect(through: connector)
        #expect(try destination.list().items.count == 2)
        #expect(try destination.loadBytes(Load()).bytes == large)

        var promised = Load()
        promised.item = 1
        let stream = try destination.io.state.open(promised)
        try destination.io.flush()
        var received: [UInt8] = []
        var isDone = false
        var asked: UInt64?
        var sent = 0
        // Both run on one thread in turns, so that neither waits for itself.
        while !isDone {
            try source.turn(until: MonotonicClock.deadline(milliseconds: 1)) { _, event, _ in
                if case .asked(let ask, _) = event { asked = ask }
            }
            while let ask = asked, sent < large.count {
                let rest = large.span.extracting(sent..<large.count)
                guard let count = try source.io.send(rest, on: ask, last: true) else { break }
                sent += count
            }
            try destination.turn(until: MonotonicClock.deadline(milliseconds: 1)) { state, event, bytes in
                guard case .data(stream, let payload, let last) = event else { return }
                received.append(copying: bytes.extracting(payload))
                state.consumed(stream, count: payload.count)
                isDone = last
            }
        }
        #expect(received == large)

        _ = try destination.clear()
        var reason: EndReason?
        while reason == nil {
            try source.turn { _, event, _ in
                if case .ended(publication.stream, let end) = event { reason = end.reason }
            }
        }
        #expect(reason == .cleared)
        let failure = #expect(throws: Failure.self) { try destination.loadBytes(Load()) }
        #expect(failure?.code == .nothingHere)
    }

    @Test("A broker stopped by a signal is abandoned, and used again when it continues")
    func stopped() throws {
        let first = try Self.connect(through: connector)
        let broker = CInt(bitPattern: try first.welcome().process ?? 0)
        try #require(broker > 1)
        try System.kill(broker, SIGSTOP)
        first.io.timeouts.silence = 1
        first.io.timeouts.probe = 1
        let failure = #expect(throws: Failure.self) { try first.list() }
        #expect(failure?.code == .timeout)
        try System.kill(broker, SIGCONT)
        #expect(try Self.connect(through: connector).list().items.isEmpty)
    }
}
