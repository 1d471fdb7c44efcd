import PasteboardClient
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport

/// A link between two brokers of a test, on a thread of its own.
final class RunningLink: Sendable {
    /// A broker by the name of its machine.
    struct Machine: Sendable {
        let name: String
        let broker: TestBroker

        init(_ name: String, _ broker: TestBroker) {
            self.name = name
            self.broker = broker
        }

        func end(
            linkedWith other: String,
            _ permits: LinkedBoard.Permits = LinkedBoard.Permits(),
            on loop: Loop
        ) async throws -> LinkEnd {
            let deadline = MonotonicClock.deadline(milliseconds: 600_000)
            let socket = try Socket.connect(path: "\(broker.directory)/socket", deadline: deadline)
            return try await Self.end(adopting: socket, of: name, linkedWith: other, permits, on: loop)
        }

        /// A greeted end over a socket, whose broker may be a test's.
        static func end(
            adopting socket: consuming OwnedDescriptor,
            of name: String,
            linkedWith other: String,
            _ permits: LinkedBoard.Permits = LinkedBoard.Permits(),
            on loop: Loop
        ) async throws -> LinkEnd {
            let end = LinkEnd(
                adopting: socket,
                path: name,
                machine: name,
                label: "link to \(other)",
                passesConcealed: permits.concealed,
                on: loop,
                timeouts: .endless
            )
            try await end.begin()
            return end
        }
    }

    private let stop: EventDescriptor
    private let over = Gate()
    private let lines = Lock<[String]>([])

    /// The reports of the link, and the reason of its end.
    var reports: [String] { lines.withLock { $0 } }

    init(
        _ near: Machine,
        _ far: Machine,
        from sides: [Link.Side] = Link.Side.allCases,
        permits: LinkedBoard.Permits = LinkedBoard.Permits()
    ) throws {
        stop = try EventDescriptor()
        try SystemThread(name: "link") { [self] in
            do {
                _ = try Loop.run { [self] loop in
                    let link = Link(
                        near: try await near.end(linkedWith: far.name, permits, on: loop),
                        far: try await far.end(linkedWith: near.name, permits, on: loop),
                        boards: ["general"],
                        from: sides,
                        permits: permits
                    ) { line in
                        self.lines.withLock { $0.append(line) }
                    }
                    let stopping = Task(executorPreference: loop) {
                        if await loop.ready(PollInterest(self.stop.raw, .readable)) { loop.interrupt() }
                    }
                    defer { stopping.cancel() }
                    try await link.run()
                    return 0
                }
            } catch let error as Failure where error.code == .cancelled {
            } catch {
                lines.withLock { $0.append("\(error)") }
            }
            over.open()
        }.detach()
    }

    /// Ends the link, and returns after it has closed its connections.
    func end() async {
        stop.signal()
        await over.wait()
    }

    /// Returns once the link has ended because of a lost connection.
    func hasEnded() async {
        await over.wait()
    }
}

/// Brokers as machines a, b, c and so on, without links.
enum LinkedMachines {
    static func with(
        _ count: Int,
        _ body: ([RunningLink.Machine]) async throws -> Void
    ) async throws {
        try await with(count, [], body)
    }

    private static func with(
        _ count: Int,
        _ machines: [RunningLink.Machine],
        _ body: ([RunningLink.Machine]) async throws -> Void
    ) async throws {
        guard machines.count < count else { return try await body(machines) }
        try await TestBroker.with { broker in
            let name = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(machines.count)))
            try await with(count, machines + [RunningLink.Machine(name, broker)], body)
        }
    }
}

extension TestBroker {
    /// Whether this text, or nothing, can be pasted. Contents that are being withdrawn can be neither.
    func has(_ text: String?) async throws -> Bool {
        if let text { return (try? await pasteboard().string) == text }
        return try await pasteboard().contents().items.allSatisfy { item in
            item.representations.allSatisfy { $0.state == .gone }
        }
    }
}
