import FoundationEssentials
import PasteboardClient
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Requests of the library whose broker ends before it has answered.
@Suite(.inProcess)
struct RecoveringTests {
    enum Loss: CaseIterable {
        case crash
        case refusal
        case stop
    }

    enum Read: CaseIterable {
        case contents
        case string
        case load
        case names
        case change

        func make(over connection: PasteboardConnection) async throws {
            let pasteboard = Pasteboard(name: "notes", connection: connection)
            switch self {
            case .contents: #expect(try await pasteboard.contents().items.count == 1)
            case .string: #expect(try await pasteboard.string == "whole")
            case .load: #expect(try await pasteboard.load(String.self) == "whole")
            case .names: #expect(try await DropDestination.names(connection: connection).isEmpty)
            case .change: #expect(try await pasteboard.nextChange().changeCount.value == 5)
            }
        }
    }

    enum Write: CaseIterable {
        case clear
        case release
        case write
        case kept

        func make(over connection: PasteboardConnection) async throws {
            let pasteboard = Pasteboard(name: "notes", connection: connection)
            switch self {
            case .clear: try await pasteboard.clear()
            case .release: try await pasteboard.release()
            case .write: try await pasteboard.write([.text("a")])
            case .kept: try await pasteboard.write([.text("a")], keeps: .everything)
            }
        }
    }

    /// A broker that is lost at the first requests of the given kinds.
    private final class LosingBroker: Sendable {
        let requests = Counter()
        /// Opened by the second write.
        let isWrittenAgain = Gate()
        let writes = Counter()
        /// The connection that was made first.
        let first = Lock<ScriptedPeer?>(nil)
        /// The stream that was refused on the first connection. Other frames may already be on their way.
        private let refused = Lock<UInt64?>(nil)
        /// The number of watches that were opened.
        let watches = Counter()
        /// Opened by the second watch.
        let isWatchedAgain = Gate()
        private let kinds: [FrameKind]
        private let losses: Int
        private let loss: Loss

        init(_ loss: Loss, at kinds: [FrameKind], times losses: Int = 1) {
            self.loss = loss
            self.kinds = kinds
            self.losses = losses
        }

        func connect() -> PasteboardConnection {
            var welcome = Welcome.standard()
            welcome.features = Feature.allCases.map(\.rawValue)
            return ScriptedBroker(welcome: welcome) { peer, frame in
                let isFirst = self.first.withLock { first in
                    first = first ?? peer
                    return first === peer
                }
                let isRefused = self.refused.withLock { refused in
                    guard isFirst, refused == frame.stream else { return false }
                    // The number may be that of another request by now.
                    if ![.data, .item, .commit].contains(frame.kind) { refused = nil }
                    return refused != nil
                }
                if isRefused { return }
                if frame.kind == .write, self.writes.increment() == 2 { self.isWrittenAgain.open() }
                if frame.kind == .watch, self.watches.increment() == 2 { self.isWatchedAgain.open() }
                let isListed = self.kinds.contains { $0 == frame.kind }
                if isListed, self.requests.increment() <= self.losses { return try self.lose(frame, of: peer) }
                try Self.answer(frame, of: peer)
            }.connect()
        }

        private func lose(_ frame: ScriptedPeer.Frame, of peer: ScriptedPeer) throws {
            switch loss {
            case .crash: peer.shutDown()
            case .refusal:
                refused.withLock { $0 = frame.stream }
                try peer.send(Failure(.brokerRestarted, "another broker takes over"), stream: frame.stream)
            case .stop:
                try peer.send(Failure(.brokerStopped, "stopped", lastStream: 0), stream: 0)
                peer.shutDown()
            }
        }

        private static func answer(_ frame: ScriptedPeer.Frame, of peer: ScriptedPeer) throws {
            switch frame.kind {
            case .list: try peer.list("public.utf8-plain-text", on: frame.stream)
            case .status: try peer.send(End(), stream: frame.stream)
            case .load: try peer.answer("public.utf8-plain-text", Array("whole".utf8), on: frame.stream)
            case .watch:
                try peer.send(Registered(), stream: frame.stream)
                guard try frame.decoded(as: Watch.self).credit ?? 0 > 0 else { break }
                var change = Change()
                change.changeCount = 5
                try peer.send(change, stream: frame.stream)
            case .clear, .commit:
                var committed = Committed()
                committed.handle = 1
                try peer.send(committed, stream: frame.stream)
            default: break
            }
        }
    }

    @Test(
        "A read of a pasteboard is made once more at the next broker",
        .tags(.f82),
        arguments: Read.allCases,
        Loss.allCases
    )
    func read(_ read: Read, after loss: Loss) async throws {
        for kind in [FrameKind.list, .status, .load, .watch] {
            try await read.make(over: LosingBroker(loss, at: [kind]).connect())
        }
        // One takeover may follow another.
        let times = loss == .refusal ? 11 : 2
        let broker = LosingBroker(loss, at: [.list, .status, .watch], times: times)
        let error = await #expect(throws: PasteboardError.self) { try await read.make(over: broker.connect()) }
        #expect(error?.code == (loss == .stop ? .brokerStopped : .brokerRestarted))
        #expect(broker.requests.value == times)
    }

    @Test("A watch begins once at the next broker, also if a request has found the loss", .tags(.f82))
    func watch() async throws {
        let broker = LosingBroker(.crash, at: [.list])
        let pasteboard = Pasteboard(name: "notes", connection: broker.connect())
        var changes = pasteboard.changes().makeAsyncIterator()
        _ = try await changes.next()
        // The watch precedes the list that is made again.
        _ = try await pasteboard.contents()
        #expect(broker.watches.value == 2)
    }

    @Test(
        "A change is made once more only if it was not carried out",
        .tags(.f82, .f90),
        arguments: Write.allCases,
        Loss.allCases
    )
    func change(_ write: Write, after loss: Loss) async throws {
        let broker = LosingBroker(loss, at: [.clear, .commit])
        guard loss == .crash else {
            try await write.make(over: broker.connect())
            return #expect(broker.requests.value == 2)
        }
        let error = await #expect(throws: PasteboardError.self) { try await write.make(over: broker.connect()) }
        #expect(error?.code == .brokerRestarted && broker.requests.value == 1)
        #expect(error?.message.hasSuffix("which may have been carried out") == true, "\(error?.message ?? "")")
    }

    @Test("A write that is lost before its commit is made once more", .tags(.f82), arguments: [Loss.crash, .refusal])
    func uncommitted(after loss: Loss) async throws {
        let broker = LosingBroker(loss, at: [.item])
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .utf8PlainText) {
            // So the first write cannot reach its commit.
            await broker.isWrittenAgain.wait()
            return Data("b".utf8)
        }
        let pasteboard = Pasteboard(name: "notes", connection: broker.connect())
        try await pasteboard.write([.text("a"), provider], keeps: .everything)
        #expect(broker.requests.value == 3)
    }

    @Test("A hand-over that a broker refuses while loads run on it continues at the next one", .tags(.f90))
    func handOver() async throws {
        let broker = LosingBroker(.refusal, at: [.data])
        let pasteboard = Pasteboard(name: "notes", connection: broker.connect())
        let publication = try await pasteboard.write([.text("a")])
        #expect(try await publication.handOver(timeout: .seconds(600)).isComplete)
        #expect(broker.requests.value > 1)
    }

    @Test("Contents that a hand-over has moved to the next broker stay there when the earlier one ends", .tags(.f90))
    func moved() async throws {
        let broker = LosingBroker(.refusal, at: [.data])
        let pasteboard = Pasteboard(name: "notes", connection: broker.connect())
        var changes = pasteboard.changes().makeAsyncIterator()
        _ = try await changes.next()
        let provider = ItemProvider()
        for type in [UniformType.utf8PlainText, .png] {
            provider.registerDataRepresentation(for: type) { Data("a".utf8) }
        }
        let publication = try await pasteboard.write([provider])
        let handOver = try await publication.handOver(types: [.utf8PlainText], timeout: .seconds(600))
        #expect(handOver.kept == [.utf8PlainText])
        let writes = broker.writes.value
        broker.first.withLock(\.self)?.shutDown()
        // Restored like the publication, if that were lost.
        await broker.isWatchedAgain.wait()
        _ = try await pasteboard.contents()
        #expect(broker.watches.value == 2)
        #expect(broker.writes.value == writes)
    }

    @Test("After everything was handed over, nothing can be added, also if the broker was lost since", .tags(.f90))
    func addition() async throws {
        let broker = LosingBroker(.crash, at: [])
        let pasteboard = Pasteboard(name: "notes", connection: broker.connect())
        let publication = try await pasteboard.write([.text("a")])
        #expect(try await publication.handOver(timeout: .seconds(600)).isComplete)
        broker.first.withLock(\.self)?.shutDown()
        while try await pasteboard.contents().items.isEmpty {}
        await expectError(.superseded) { try await publication.add([.text("b")]) }
    }

    @Test("Requests that fail do not postpone the attempt to restore what stands", .tags(.f90))
    func postponed() async throws {
        let broker = ScriptedBroker { peer, frame in
            switch frame.kind {
            case .commit: try peer.send(Committed(), stream: frame.stream)
            case .list:
                try peer.send(Failure(.brokerStopped, "stopped", lastStream: 0), stream: 0)
                peer.shutDown()
            default: break
            }
        }
        let isServed = Lock(true)
        let attempts = Lock(0)
        let connection = PasteboardConnection(timeouts: .endless) { mayStart in
            // This broker was stopped, so only requests may start another one.
            if !mayStart { attempts.withLock { $0 += 1 } }
            guard isServed.withLock({ exchange(&$0, with: false) }) else { throw Failure(.brokerUnavailable, "nobody") }
            return try broker.socket()
        }
        let pasteboard = Pasteboard(name: "notes", connection: connection)
        let publication = try await pasteboard.write([.text("a")])
        await #expect(throws: PasteboardError.self) { try await pasteboard.contents() }
        attempts.withLock { $0 = 0 }
        while attempts.withLock({ $0 == 0 }) {
            await #expect(throws: PasteboardError.self) { try await pasteboard.contents() }
        }
        withExtendedLifetime(publication) {}
    }

    @Test("No broker is started after a refused request, because this one may have been stopped", .tags(.f90))
    func refusedForGood() async throws {
        let broker = ScriptedBroker { peer, frame in
            switch frame.kind {
            case .commit: try peer.send(Committed(), stream: frame.stream)
            case .list: try peer.send(Failure(.brokerStopped, "the broker was stopped"), stream: frame.stream)
            default: break
            }
        }
        let (attempts, attempt) = AsyncStream.makeStream(of: Bool.self)
        let isServed = Lock(true)
        let connection = PasteboardConnection(timeouts: .endless) { mayStart in
            attempt.yield(mayStart)
            guard isServed.withLock({ exchange(&$0, with: false) }) else { throw Failure(.brokerUnavailable, "nobody") }
            return try broker.socket()
        }
        let pasteboard = Pasteboard(name: "notes", connection: connection)
        let publication = try await pasteboard.write([.text("a")])
        await expectError(.brokerStopped) { try await pasteboard.contents() }
        // The write and the repeated request each make one attempt. The contents are not lost as long as the connection
        // lasts.
        var iterator = attempts.makeAsyncIterator()
        for expected in [true, false] { #expect(await iterator.next() == expected) }
        withExtendedLifetime(publication) {}
    }
}
