import FoundationEssentials
import PasteboardClient
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

private typealias Drag = PasteboardKit.Drag

/// The waits of sources for destinations, and of the broker for handlers.
@Suite("Waits for destinations and drop handlers", .inProcess)
struct DropWaitTests {
    @Test("a registration that is cancelled before it begins leaves its name free")
    func cancelledRegistration() async throws {
        try await TestBroker.with { broker in
            let connection = broker.pasteboard().connection
            // So that the registration waits for nothing.
            _ = try await DropDestination.names(connection: connection)
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await DropRegistration.register(name: "site", accepting: [.png], connection: connection)
            }
            await #expect(throws: PasteboardError.self) { try await cancelled.value }
            let registration = try await DropRegistration.register(
                name: "site",
                accepting: [.png],
                connection: connection
            )
            #expect(try await DropDestination.names(connection: connection) == ["site"])
            registration.unregister()
        }
    }

    // MARK: Waits for a destination

    /// Registers a destination, which exists until the task is cancelled.
    private func runSite(over connection: PasteboardConnection) async -> Task<Void, any Error> {
        let isThere = Gate()
        let running = Task {
            try await DropDestination(name: "site", connection: connection).run { _, _ in
            } onRegistered: {
                isThere.open()
            }
        }
        await isThere.wait()
        return running
    }

    @Test("a source that waits for a destination continues when the destination is registered")
    func registered() async throws {
        try await DragBroker.with { broker in
            let source = broker.connect()
            let waiting = Task { try await DropDestination.wait(for: "site", connection: source) }
            try await eventually("a wait at the broker") { try broker.waits > 0 }
            let running = await runSite(over: broker.connect())
            try await waiting.value
            #expect(try await DropDestination.names(connection: source) == ["site"])
            // The destination is registered already, so the wait ends at once.
            try await DropDestination.wait(for: "site", timeout: .zero, connection: source)
            running.cancel()
            try await running.value
        }
    }

    @Test("a pointer update that waits reaches the destination when that is registered", arguments: [false, true])
    func moves(isRestricted: Bool) async throws {
        try await DragBroker.with { broker in
            let options = Drag.Options(isRestrictedToDraggingApplication: isRestricted)
            let connection = broker.connect()
            let drag = try await Drag.begin([.text("a")], options: options, connection: connection)
            let moving = Task { try await drag.move(to: DropLocation("site"), destinationTimeout: .seconds(600)) }
            try await eventually("a wait at the broker") { try broker.waits > 0 }
            let running = await runSite(over: connection)
            #expect(try await moving.value.operation == .copy)
            running.cancel()
            try await running.value
        }
    }

    @Test("a pointer update that waits for its destination ends with the drag or the drop", arguments: [false, true])
    func ends(isDropped: Bool) async throws {
        try await DragBroker.with { broker in
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            let moving = Task { try await drag.move(to: DropLocation("site"), destinationTimeout: .seconds(600)) }
            try await eventually("a wait at the broker") { try broker.waits > 0 }
            if isDropped { try await drag.drop() } else { await drag.cancel() }
            let error = await #expect(throws: PasteboardError.self) { try await moving.value }
            let isCancelled = error?.code == .cancelled && error?.message == "the drag was cancelled"
            #expect(isCancelled || isDropped && error?.code == .invalidArgument)
        }
    }

    @Test("items that are added do not bring a drag to a destination that did not exist when it was moved there")
    func addedAfterRefusal() async throws {
        try await DragBroker.with { broker in
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            await #expect(throws: PasteboardError.self) { try await drag.move(to: DropLocation("site")) }
            let running = await runSite(over: broker.connect())
            try await drag.add([.text("b")])
            #expect(try await drag.drop() == .cancel)
            running.cancel()
            try await running.value
        }
    }

    @Test("if no destination is registered in time, a wait and a pointer update fail with nothing-here")
    func timeout() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let wait = await expectError(.nothingHere) {
                try await DropDestination.wait(for: "site", timeout: .milliseconds(1), connection: connection)
            }
            #expect(wait?.message == "no destination site was registered within 1 ms")
            let drag = try await Drag.begin([.text("a")], connection: connection)
            await expectError(.nothingHere) {
                try await drag.move(to: DropLocation("site"), destinationTimeout: .milliseconds(1))
            }
            await expectError(.invalidArgument) { try await DropDestination.wait(for: "a/b", connection: connection) }
        }
    }

    @Test("cancelling a task ends its wait")
    func cancelled() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let drag = try await Drag.begin([.text("a")], connection: connection)
            for wait in [
                Task { try await DropDestination.wait(for: "site", connection: connection) },
                Task { _ = try await drag.move(to: DropLocation("site"), destinationTimeout: .seconds(600)) },
            ] {
                wait.cancel()
                await expectError(.cancelled) { try await wait.value }
            }
        }
    }

    // MARK: Waits for a handler

    private static let visit: UInt64 = 1 << 32 | 1 << 31

    /// Plays a broker with one destination, at which a text is dropped.
    ///
    /// - Returns: the frames that the handler causes on the session's stream.
    private func frames(
        _ perform: @escaping @Sendable (any DropSession) async throws -> Void
    ) async throws -> [FrameKind] {
        let kinds = Lock<[FrameKind]>([])
        let loads = Lock<[UInt64]>([])
        let done = Gate()
        var welcome = Welcome.standard()
        welcome.features = [Feature.dropReports.rawValue]
        let broker = ScriptedBroker(welcome: welcome) { peer, frame in
            if frame.stream == Self.visit, let kind = frame.kind { kinds.withLock { $0.append(kind) } }
            switch frame.kind {
            case .destination: try Self.enter(frame.stream, by: peer)
            case .proposal:
                var perform = Perform()
                perform.operation = .move
                try peer.send(perform, stream: Self.visit)
            case .load: loads.withLock { $0.append(frame.stream) }
            case .performed:
                // The callbacks may run only now, after the handler has returned.
                for load in loads.withLock({ $0 }) {
                    try peer.send(Answer(), stream: load)
                    try peer.sendData([65], stream: load, last: true)
                }
            case .conclude:
                try peer.send(End(), stream: Self.visit)
                done.open()
            default: break
            }
        }
        let running = Task {
            try await DropDestination(name: "site", connection: broker.connect()).run { session, _ in
                try await perform(session)
            }
        }
        await done.wait()
        running.cancel()
        try? await running.value
        // The first is the proposal.
        return Array(kinds.withLock { $0 }.dropFirst())
    }

    /// Registers the destination, and moves a session with a text there.
    private static func enter(_ destination: UInt64, by peer: ScriptedPeer) throws {
        try peer.send(Registered(), stream: destination)
        var session = Session()
        (session.destination, session.handle, session.version, session.itemCount) = (destination, 5, 1, 1)
        try peer.send(session, stream: visit)
        var text = PasteboardWire.Representation()
        text.type = "public.utf8-plain-text"
        var item = Item()
        item.representations = [text]
        try peer.send(item, stream: visit)
        var enter = Enter()
        enter.sequence = 1
        try peer.send(enter, stream: visit)
    }

    /// A use of its session by a handler.
    enum Handler: CaseIterable {
        case extendsWindow, reportsProgress, callsBack, returns

        func perform(_ session: any DropSession) {
            switch self {
            case .extendsWindow: session.extendDropWindow {}
            case .reportsProgress:
                let copying = LoadProgress(totalUnitCount: 10)
                session.progress.totalUnitCount += 1
                session.progress.addChild(copying, withPendingUnitCount: 1)
                copying.completedUnitCount = 3
                // At most one report a second is sent.
                copying.completedUnitCount = 4
            case .callsBack: session.loadObjects(ofClass: String.self) { _ in }
            case .returns: break
            }
        }
    }

    @Test(
        "extensions of the drop window, progress and callbacks are reported to the broker, and nothing else is",
        arguments: Handler.allCases
    )
    func reports(by handler: Handler) async throws {
        let kinds = try await frames(handler.perform)
        switch handler {
        case .extendsWindow, .reportsProgress: #expect(kinds == [.progress, .performed, .conclude])
        case .callsBack: #expect(kinds.prefix(2) == [.progress, .performed] && kinds.last == .conclude)
        case .returns: #expect(kinds == [.performed, .conclude])
        }
    }

    // MARK: Isolation of handlers

    @Test("the closures of a destination run in order on the actor that runs it, and may use the actor's state")
    @MainActor
    func isolation() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect()
            let running = Task { @MainActor in
                var steps: [String] = []
                try await DropDestination(name: "site", connection: connection).run { _, _ in
                    MainActor.assertIsolated()
                    steps.append("propose")
                    return .copy
                } perform: { session, _ in
                    MainActor.assertIsolated()
                    steps += try await session.load(String.self)
                } onRegistered: {
                    steps.append("registered")
                }
                return steps
            }
            let drag = try await Drag.drop(from: broker.connect())
            #expect(try await drag.outcome().text == "transferred copy")
            running.cancel()
            #expect(try await running.value == ["registered", "propose", "a"])
        }
    }
}
