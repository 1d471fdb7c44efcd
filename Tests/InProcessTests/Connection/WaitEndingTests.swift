import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Every wait can be ended by its caller: with the caller's timeout, or by cancelling its task.
@Suite(.inProcess)
struct WaitEndingTests {
    private typealias Wait = @Sendable () async throws -> Void

    @Test(
        "if a broker does not answer, a call ends at its timeout, and the error names the call",
        arguments: [false, true]
    )
    func timeouts(welcomes: Bool) async throws {
        let broker = ScriptedBroker.silent(welcomes: welcomes)
        let pasteboard = Pasteboard(name: .general, connection: broker.connect())
        let timeout = Duration.milliseconds(20)
        let calls: [(String, Wait)] = [
            ("the write", { try await pasteboard.write([.text("a")], timeout: timeout) }),
            ("the write", { try await pasteboard.write("a", timeout: timeout) }),
            ("the clear", { try await pasteboard.clear(timeout: timeout) }),
            ("the list of contents", { _ = try await pasteboard.contents(timeout: timeout) }),
            ("the load", { _ = try await pasteboard.load(String.self, options: LoadOptions(timeout: timeout)) }),
            ("the query of the types", { _ = try await pasteboard.canLoad(.text, timeout: timeout) }),
            ("the query of the types", { _ = try await pasteboard.canLoad(String.self, timeout: timeout) }),
            (
                "the beginning of the drag",
                { _ = try await Drag.begin([.text("a")], timeout: timeout, connection: pasteboard.connection) }
            ),
        ]
        for (name, call) in calls {
            let error = await expectError(.timeout) { try await call() }
            #expect(error?.message.hasPrefix("\(name) did not end within 0.02 seconds") == true)
        }
    }

    @Test("a change that is not answered in time says that it may have been carried out", .tags(.f82))
    func lateChanges() async throws {
        let broker = ScriptedBroker.silent(welcomes: true)
        let pasteboard = Pasteboard(name: .general, connection: broker.connect())
        let calls: [@Sendable (Duration) async throws -> Void] = [
            { try await pasteboard.write("a", timeout: $0) }, { try await pasteboard.clear(timeout: $0) },
        ]
        for call in calls {
            var message = ""
            // On a busy machine connecting may take all of the time.
            for milliseconds in [20, 2_000, 200_000] where !message.hasSuffix(", which may have been carried out") {
                let error = await #expect(throws: PasteboardError.self) { try await call(.milliseconds(milliseconds)) }
                message = error?.message ?? ""
            }
            #expect(message.hasSuffix(", which may have been carried out"), "\(message)")
        }
    }

    @Test("the timeout of an object load includes the listing of the item, and the error names the given timeout")
    func loadTimeout() async throws {
        try await TestBroker.with { broker in
            let never = Gate()
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .utf8PlainText) {
                await never.wait()
                return Data()
            }
            let publication = try await broker.pasteboard().write([provider])
            let error = await expectError(.timeout) {
                try await broker.pasteboard().load(String.self, options: LoadOptions(timeout: .milliseconds(30)))
            }
            #expect(error?.message == "the load did not end within 0.03 seconds")
            never.open()
            withExtendedLifetime(publication) {}
        }
    }

    @Test("a pointer update to a destination that does not answer ends at its timeout, and the drag continues")
    func moveTimeout() async throws {
        try await DragBroker.with { broker in
            let goOn = Gate()
            let site = DropSite(on: broker.connect()) { _, _ in
                await goOn.wait()
                return DropProposal(operation: .copy)
            } perform: { _, _ in
            }
            let drag = try await Drag.begin([.text("a")], connection: broker.connect())
            try await DropDestination.wait(for: "site", timeout: .seconds(600), connection: broker.connect())
            let error = await expectError(.timeout) {
                try await drag.move(to: DropLocation("site"), timeout: .milliseconds(20))
            }
            #expect(error?.message == "the move of the drag did not end within 0.02 seconds; the drag continues")
            goOn.open()
            #expect(try await drag.move(to: DropLocation("site")).operation == .copy)
            await drag.cancel()
            await site.stop()
        }
    }

    @Test("a cancelled task group ends, whatever its tasks wait for")
    func group() async throws {
        try await DragBroker.with { broker in
            let (silent, connection) = (ScriptedBroker.silent(), broker.connect())
            let pasteboard = Pasteboard(name: .general, connection: silent.connect())
            let publication = try await Pasteboard(name: .general, connection: connection).write([.text("a")])
            let drag = try await Drag.begin([.text("a")], connection: connection)
            let destination = DropDestination(name: "site", connection: connection)
            let waits: [Wait] = [
                { _ = try await publication.outcome() },
                { _ = try await pasteboard.nextChange() },
                { _ = try await Pasteboard.unique(connection: pasteboard.connection) },
                { try await pasteboard.release() },
                { _ = try await drag.outcome() },
                { try await pasteboard.write([.text("a")]) },
                { try await pasteboard.clear() },
                { _ = try await pasteboard.contents() },
                { _ = try await Drag.begin([.text("a")], connection: pasteboard.connection) },
                { _ = try await DropDestination.names(connection: pasteboard.connection) },
                { try await DropDestination.wait(for: "b", connection: pasteboard.connection) },
                { try await DropDestination(name: "a", connection: pasteboard.connection).run { _, _ in } },
                { try await destination.run { _, _ in } },
                { for await _ in destination.events {} },
            ]
            let messages = await withTaskGroup { group in
                for wait in waits {
                    group.addTask { () -> String? in
                        do {
                            try await wait()
                            return nil
                        } catch let error as PasteboardError where error.code == .cancelled {
                            return error.message
                        } catch {
                            return "not cancelled: \(error)"
                        }
                    }
                }
                group.cancelAll()
                return await group.reduce(into: [String]()) { messages, message in
                    if let message { messages.append(message) }
                }
            }
            #expect(
                messages.sorted() == [
                    "the beginning of the drag was cancelled",
                    "the clear was cancelled",
                    "the list of contents was cancelled",
                    "the list of destinations was cancelled",
                    "the making of a pasteboard was cancelled",
                    "the release of the pasteboard was cancelled",
                    "the wait for a change was cancelled",
                    "the wait for destination b was cancelled",
                    "the wait for the drag's outcome was cancelled; the drag continues",
                    "the wait for the publication's end was cancelled; the publication continues",
                    "the write was cancelled",
                ]
            )
            // Both have indeed continued after the cancelled waits.
            await drag.cancel()
            #expect(try await drag.outcome().text == "cancelled")
            try await Pasteboard(name: .general, connection: connection).clear()
            #expect(try await publication.outcome() == .cleared)
        }
    }

    @Test("if several tasks wait for a publication or a drag, only the cancelled one returns early")
    func several() async throws {
        try await DragBroker.with { broker in
            let pasteboard = Pasteboard(name: .general, connection: broker.connect())
            let publication = try await pasteboard.write([.text("a")])
            let drag = try await Drag.begin([.text("a")], connection: pasteboard.connection)
            let ends = (0..<3).map { _ in Task { try await publication.outcome() } }
            let outcomes = (0..<3).map { _ in Task { try await drag.outcome().text } }
            ends[1].cancel()
            outcomes[1].cancel()
            let first = await #expect(throws: PasteboardError.self) { try await ends[1].value }
            let second = await #expect(throws: PasteboardError.self) { try await outcomes[1].value }
            #expect(first?.code == .cancelled)
            #expect(second?.code == .cancelled)
            await drag.cancel()
            try await pasteboard.clear()
            for index in [0, 2] {
                #expect(try await ends[index].value == .cleared)
                #expect(try await outcomes[index].value == "cancelled")
            }
            // A cancelled task still gets a result that is known already.
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await (publication.outcome(), drag.outcome().text)
            }
            #expect(try await late.value == (.cleared, "cancelled"))
        }
    }

    @Test("a timeout of zero or less always fails the call, and nothing is written", arguments: [0, -5])
    func over(milliseconds: Int) async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            try await pasteboard.write("a")
            for _ in 0..<50 {
                await expectError(.timeout) { try await pasteboard.write("b", timeout: .milliseconds(milliseconds)) }
            }
            #expect(try await pasteboard.load(String.self) == "a")
        }
    }
}
