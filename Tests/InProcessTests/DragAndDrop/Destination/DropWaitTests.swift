import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

private typealias Drag = PasteboardKit.Drag

/// The waits of sources for destinations, and of brokers for handlers.
@Suite("Waits for destinations and their handlers", .fewAtATime, .timeLimit(.minutes(5)))
struct DropWaitTests {
    // MARK: For a destination

    @Test("a destination says when it is there, and a source that waits for it goes on")
    func registered() async throws {
        try await DragBroker.with { broker in
            let source = broker.connect()
            let waiting = Task { try await DropDestination.wait(for: "site", connection: source) }
            while try broker.waits == 0 { await Task.yield() }
            let isThere = Gate()
            let running = Task {
                try await DropDestination(name: "site", connection: broker.connect()).run { _, _ in
                } onRegistered: {
                    isThere.open()
                }
            }
            await isThere.wait()
            try await waiting.value
            #expect(try await DropDestination.names(connection: source) == ["site"])
            // At once, where it is there already.
            try await DropDestination.wait(for: "site", upTo: .zero, connection: source)
            running.cancel()
            try await running.value
        }
    }

    @Test("a drag waits for its destination, and moves to it when it has come")
    func moved() async throws {
        try await DragBroker.with { broker in
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            let moving = Task { try await drag.move(to: DropLocation("site"), waitingUpTo: .seconds(600)) }
            while try broker.waits == 0 { await Task.yield() }
            let site = DropSite(on: broker.connect())
            #expect(try await moving.value.operation == .copy)
            await site.stop()
        }
    }

    @Test("a drag for its own process alone does not find another one's destination, and waits on")
    func restricted() async throws {
        try await DragBroker.with { broker in
            let far = DropSite(on: broker.connect())
            try await DropDestination.wait(for: "site", connection: broker.connect())
            var options = Drag.Options()
            options.isRestrictedToDraggingApplication = true
            let drag = try await Drag.begin([.text("a")], options: options, connection: broker.connect(process: 77))
            let moving = Task { try await drag.move(to: DropLocation("site"), waitingUpTo: .seconds(600)) }
            await far.stop()
            let near = DropSite(on: broker.connect(process: 77))
            #expect(try await moving.value.operation == .copy)
            await near.stop()
        }
    }

    @Test("a move that waits ends with its drag")
    func endsWithDrag() async throws {
        try await DragBroker.with { broker in
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            let moving = Task { try await drag.move(to: DropLocation("site"), waitingUpTo: .seconds(600)) }
            while try broker.waits == 0 { await Task.yield() }
            await drag.cancel()
            let error = await #expect(throws: PasteboardError.self) { try await moving.value }
            #expect(error?.code == .cancelled && error?.message == "the drag was cancelled")
        }
    }

    @Test("a wait whose time is over has found nothing, for a drag as for anybody")
    func timeout() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let wait = await #expect(throws: PasteboardError.self) {
                try await DropDestination.wait(for: "site", upTo: .milliseconds(1), connection: connection)
            }
            #expect(wait?.code == .nothingHere)
            #expect(wait?.message == "no destination site was registered within 1 ms")
            let drag = try await Drag.begin([.text("a")], connection: connection)
            let move = await #expect(throws: PasteboardError.self) {
                try await drag.move(to: DropLocation("site"), waitingUpTo: .milliseconds(1))
            }
            #expect(move?.code == .nothingHere)
            let unnamed = await #expect(throws: PasteboardError.self) {
                try await DropDestination.wait(for: "a/b", connection: connection)
            }
            #expect(unnamed?.code == .invalidArgument)
        }
    }

    @Test("a wait ends with its task")
    func cancelled() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let drag = try await Drag.begin([.text("a")], connection: connection)
            for wait in [
                Task { try await DropDestination.wait(for: "site", connection: connection) },
                Task { _ = try await drag.move(to: DropLocation("site"), waitingUpTo: .seconds(600)) },
            ] {
                wait.cancel()
                let error = await #expect(throws: PasteboardError.self) { try await wait.value }
                #expect(error?.code == .cancelled)
            }
        }
    }

    // MARK: For a handler

    /// A broker that a test plays, with one destination at which one text was dropped.
    ///
    /// - Returns: the first frame of the session, other than loads, that comes of the handler.
    private func first(
        _ perform: @escaping @Sendable (any DropSession) async throws -> Void
    ) async throws -> [FrameKind] {
        let kinds = Lock<[FrameKind]>([])
        let done = Gate()
        let connection = PasteboardConnection {
            let pair = try Socket.pair()
            let own = try System.duplicate(pair.first.raw)
            let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
            try SystemThread(name: "broker") {
                do {
                    let heard = try Self.drop(by: peer)
                    kinds.withLock { $0 = heard }
                } catch {
                    Issue.record(error)
                }
                done.open()
            }.detach()
            return BrokerSocket(descriptor: own, path: "test")
        }
        let running = Task {
            try await DropDestination(name: "site", connection: connection).run { session, _ in
                try await perform(session)
            }
        }
        await done.wait()
        running.cancel()
        try? await running.value
        return kinds.withLock { $0 }
    }

    private static func drop(by peer: ScriptedPeer) throws -> [FrameKind] {
        var welcome = Welcome.standard()
        welcome.features = [Feature.dropReports.rawValue]
        try peer.send(welcome, stream: 0)
        let destination = try peer.next(.destination).stream
        try peer.send(Registered(), stream: destination)
        let visit: UInt64 = 1 << 32 | 1 << 31
        var session = Session()
        session.destination = destination
        session.handle = 5
        session.version = 1
        session.itemCount = 1
        try peer.send(session, stream: visit)
        var text = PasteboardWire.Representation()
        text.type = "public.utf8-plain-text"
        var item = Item()
        item.representations = [text]
        try peer.send(item, stream: visit)
        var enter = Enter()
        enter.sequence = 1
        try peer.send(enter, stream: visit)
        _ = try peer.next(.proposal)
        var perform = Perform()
        perform.operation = .move
        try peer.send(perform, stream: visit)
        var kinds: [FrameKind] = []
        var loads: [UInt64] = []
        while kinds.last != .conclude {
            let frame = try peer.next()
            if frame.kind == .load { loads.append(frame.stream) }
            if frame.stream == visit, let kind = frame.kind { kinds.append(kind) }
            // Not before, so that callbacks are still to come then.
            guard frame.kind == .performed else { continue }
            for load in loads {
                try peer.send(Answer(), stream: load)
                try peer.sendData([65], stream: load, last: true)
            }
        }
        try peer.send(End(), stream: visit)
        return kinds
    }

    @Test("a handler that asks a person first says so to the broker, before it begins a load")
    func extended() async throws {
        let kinds = try await first { session in
            session.extendDropWindow {}
        }
        #expect(kinds == [.progress, .performed, .conclude])
    }

    @Test("progress that a handler reports reaches the broker")
    func progress() async throws {
        let kinds = try await first { session in
            let copying = LoadProgress(totalUnitCount: 10)
            session.progress.totalUnitCount += 1
            session.progress.addChild(copying, withPendingUnitCount: 1)
            copying.completedUnitCount = 3
            // No more than one a second.
            copying.completedUnitCount = 4
        }
        #expect(kinds == [.progress, .performed, .conclude])
    }

    @Test("a handler whose callbacks go on after it has returned says so to the broker")
    func callbacks() async throws {
        let kinds = try await first { session in
            session.loadObjects(ofClass: String.self) { _ in }
        }
        #expect(kinds.prefix(2) == [.progress, .performed] && kinds.last == .conclude)
    }

    @Test("a handler that does nothing of that says nothing")
    func quiet() async throws {
        #expect(try await first { _ in } == [.performed, .conclude])
    }

    // MARK: What handlers may use

    @Test("the closures of a destination run in order where it is run, and may use what is there")
    @MainActor
    func isolation() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let running = Task { @MainActor in
                var steps: [String] = []
                try await DropDestination(name: "site", connection: connection).run { _, _ in
                    MainActor.assertIsolated()
                    steps.append("propose")
                    return DropProposal(operation: .copy)
                } perform: { session, _ in
                    MainActor.assertIsolated()
                    steps += try await session.loadObjects(ofClass: String.self)
                } onRegistered: {
                    steps.append("registered")
                }
                return steps
            }
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            try await drag.reach()
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred copy")
            running.cancel()
            #expect(try await running.value == ["registered", "propose", "a"])
        }
    }
}
