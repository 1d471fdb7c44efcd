import FoundationEssentials
import PasteboardClient
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Lists and loads around the end of a broker that the test writes.
@Suite(.inProcess)
struct LoadReturnTests {
    @Test("A list of an empty board waits for contents of an earlier broker, as long as they may come back")
    func early() async throws {
        for returns in [true, false] {
            let isThere = Lock(false)
            let lists = Lock(0)
            var welcome = Welcome.standard()
            welcome.settlingMilliseconds = 600_000
            let connection = ScriptedBroker(welcome: welcome) { peer, frame in
                switch frame.kind {
                case .list:
                    lists.withLock { $0 += 1 }
                    try peer.list(isThere.withLock { $0 } ? "public.png" : nil, on: frame.stream)
                case .watch:
                    // The epoch is not the broker's, so an empty board is reported only when its time is over.
                    #expect(try frame.decoded(as: Watch.self).sinceEpoch == 0)
                    isThere.withLock { $0 = returns }
                    try peer.send(Registered(), stream: frame.stream)
                    var change = PasteboardWire.Change()
                    change.handle = returns ? 1 : nil
                    try peer.send(change, stream: frame.stream)
                default: break
                }
            }.connect()
            let contents = try await Pasteboard(name: "notes", connection: connection).contents()
            #expect(contents.items.count == (returns ? 1 : 0) && lists.withLock { $0 } == 2)
        }
    }

    /// A broker whose board has contents 41. Its connections end at a load, as often as the test says.
    private final class DyingBroker: Sendable {
        /// The reply to a load before the broker ends.
        enum Reply: CaseIterable, Sendable {
            case none
            case answer
            case farewell
        }

        let loads = Lock<[Load]>([])
        private let deaths: Int
        private let reply: Reply
        private let failure: Failure?

        /// - Parameter failure: the answer to the later loads; nil: bytes.
        init(deaths: Int = 1, after reply: Reply = .none, failure: Failure? = nil) {
            self.deaths = deaths
            self.reply = reply
            self.failure = failure
        }

        func item() async throws -> ItemProvider {
            let contents = try await Pasteboard(name: "notes", connection: connect()).contents()
            return try #require(contents.items.first).itemProvider
        }

        private func connect() -> PasteboardConnection {
            ScriptedBroker { peer, frame in
                switch frame.kind {
                case .list: try peer.list("public.utf8-plain-text", on: frame.stream)
                case .load:
                    let load = try frame.decoded(as: Load.self)
                    let count = self.loads.withLock { loads in
                        loads.append(load)
                        return loads.count
                    }
                    guard count <= self.deaths else {
                        if let failure = self.failure { return try peer.send(failure, stream: frame.stream) }
                        return try peer.answer("public.utf8-plain-text", Array("whole".utf8), on: frame.stream)
                    }
                    switch self.reply {
                    case .none: break
                    case .answer:
                        try peer.send(Answer(), stream: frame.stream)
                        try peer.sendData([1, 2], stream: frame.stream)
                    case .farewell: try peer.send(Failure(.brokerRestarted, "stopped"), stream: 0)
                    }
                    peer.shutDown()
                default: break
                }
            }.connect()
        }
    }

    @Test(
        "A load that was sent fails with its broker; the next one names the contents by board and change count",
        .tags(.f83),
        arguments: LoadedForm.allCases,
        DyingBroker.Reply.allCases
    )
    private func lost(form: LoadedForm, after reply: DyingBroker.Reply) async throws {
        let broker = DyingBroker(after: reply)
        let item = try await broker.item()
        let failed = LoadProgress()
        let error = await #expect(throws: PasteboardError.self) { try await form.bytes(from: item, progress: failed) }
        #expect(error?.code == .brokerRestarted && !failed.isFinished)
        #expect(broker.loads.withLock { $0.map(\.handle) } == [1])

        let progress = LoadProgress()
        #expect(try await form.bytes(from: item, progress: progress) == Data("whole".utf8))
        #expect(progress.isFinished && progress.completedUnitCount == 5)
        // Without a progress and with a timeout, too.
        #expect(try await item.loadData(for: .text) == Data("whole".utf8))
        #expect(try await item.loadData(for: .text, options: LoadOptions(timeout: .seconds(600))) == Data("whole".utf8))
        let later = broker.loads.withLock { $0.dropFirst() }
        #expect(later.count == 3)
        for load in later {
            #expect(load.handle == nil && load.board == "notes" && load.ifChangeCount == 41 && load.item == 0)
            #expect(load.requires == [Feature.condition.rawValue])
        }
    }

    @Test(
        "A load at the next broker waits for its contents, unless that broker expects none to come back",
        arguments: [true, false]
    )
    func returning(isSettling: Bool) async throws {
        let state = Lock((loads: 0, isBack: true))
        var welcome = Welcome.standard()
        welcome.settlingMilliseconds = isSettling ? 600_000 : nil
        let connection = ScriptedBroker(welcome: welcome) { peer, frame in
            switch frame.kind {
            case .list: try peer.list(state.withLock { $0.isBack } ? "public.png" : nil, on: frame.stream)
            case .watch:
                state.withLock { $0.isBack = true }
                try peer.send(Registered(), stream: frame.stream)
                try peer.send(PasteboardWire.Change(), stream: frame.stream)
            case .load:
                let (count, isBack) = state.withLock { state in
                    state.loads += 1
                    if state.loads == 1 { state.isBack = false }
                    return (state.loads, state.isBack)
                }
                if count == 1 { return peer.shutDown() }
                guard isBack else { return try peer.send(Failure(.superseded, "not back"), stream: frame.stream) }
                try peer.answer("public.png", [7], on: frame.stream)
            default: break
            }
        }.connect()
        let pasteboard = Pasteboard(name: "notes", connection: connection)
        let item = try #require(try await pasteboard.contents().items.first).itemProvider
        await #expect(throws: PasteboardError.self) { try await item.loadData(for: .png) }
        if isSettling {
            #expect(try await item.loadData(for: .png) == Data([7]))
        } else {
            await expectError(.superseded) { try await item.loadData(for: .png) }
        }
    }

    @Test("A load that takes too long at the next broker names the timeout of its caller", arguments: [true, false])
    func late(intoMemory: Bool) async throws {
        let broker = DyingBroker(failure: Failure(.timeout, "the load took longer than 2 s"))
        let item = try await broker.item()
        await #expect(throws: PasteboardError.self) { try await item.loadData(for: .text) }
        let error = await #expect(throws: PasteboardError.self) {
            if intoMemory {
                _ = try await item.loadData(for: .text, options: LoadOptions(timeout: .seconds(600)))
            } else {
                _ = try await item.loadBytes(for: .text, options: LoadOptions(timeout: .seconds(600)))
            }
        }
        #expect(error?.message == "the load did not end within 600.0 seconds")
    }

    @Test("A request connects to the next broker while a load at one that has announced its end still runs")
    func ending() async throws {
        let isAsked = Gate()
        let peers = Lock<Set<ObjectIdentifier>>([])
        let running = Lock<(peer: ScriptedPeer, stream: UInt64)?>(nil)
        let connection = ScriptedBroker { peer, frame in
            switch frame.kind {
            case .list:
                _ = peers.withLock { $0.insert(ObjectIdentifier(peer)) }
                try peer.list("public.png", on: frame.stream)
            case .load:
                running.withLock { $0 = (peer, frame.stream) }
                try peer.send(Failure(.brokerRestarted, "another broker takes over"), stream: 0)
                isAsked.open()
            default: break
            }
        }.connect()
        let pasteboard = Pasteboard(name: "notes", connection: connection)
        let item = try #require(try await pasteboard.contents().items.first).itemProvider
        let load = Task { try await item.loadData(for: .png) }
        await isAsked.wait()
        try await eventually("a list at the next broker") {
            (try? await pasteboard.contents()) != nil && peers.withLock { $0.count } > 1
        }
        let (peer, stream) = try #require(running.withLock { $0 })
        try peer.answer("public.png", [7], on: stream)
        #expect(try await load.value == Data([7]))
    }

    @Test("An item is loaded at the next broker once its contents are back there", .tags(.f83))
    func restarted() async throws {
        try await TestBroker.with { broker in
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .utf8PlainText) { Data("whole".utf8) }
            let publication = try await broker.pasteboard("notes").write([provider])
            let reader = Pasteboard(name: "notes", connection: broker.connect())
            let item = try #require(try await reader.contents().items.first).itemProvider
            try await broker.stop()
            let next = try broker.restart()
            try await eventually("the return of the contents") {
                (try? await reader.contents())?.items.isEmpty == false
            }
            #expect(try await item.loadData(for: .text) == Data("whole".utf8))
            #expect(publication.isCurrent)
            let newer = ItemProvider()
            newer.registerDataRepresentation(for: .utf8PlainText) { Data("newer".utf8) }
            try await reader.write([newer])
            await expectError(.superseded) { try await item.loadData(for: .text) }
            try await next.stop()
        }
    }
}
