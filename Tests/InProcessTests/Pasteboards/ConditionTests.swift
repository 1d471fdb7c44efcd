import FoundationEssentials
import PasteboardKit
import TestSupport
import Testing

/// Writes, clears and loads under the condition that the pasteboard has not changed.
@Suite(.inProcess)
struct ConditionTests {
    @Test("A write, a clear and a load succeed at the change count that they name")
    func holds() async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            let first = try await pasteboard.write([.text("a")])
            let second = try await pasteboard.write([.text("b")], options: .init(ifChangeCount: first.changeCount))
            #expect(try await pasteboard.load(String.self, ifChangeCount: second.changeCount) == "b")
            let cleared = try await pasteboard.clear(ifChangeCount: second.changeCount)
            #expect(cleared.value == first.changeCount.value + 2)
        }
    }

    @Test("At another change count they fail with both counts, and nothing changes")
    func superseded() async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            let old = try await pasteboard.write([.text("a")]).changeCount
            let current = try await pasteboard.write([.text("b")])
            let calls: [@Sendable () async throws -> Void] = [
                { try await pasteboard.write([.text("c")], options: .init(ifChangeCount: old)) },
                { try await pasteboard.clear(ifChangeCount: old) },
                { _ = try await pasteboard.load(String.self, ifChangeCount: old) },
            ]
            for call in calls {
                let error = await expectError(.superseded) { try await call() }
                #expect(
                    error?.message == "pasteboard general is at change count \(current.changeCount), not \(old); it "
                        + "was changed in the meantime"
                )
            }
            #expect(current.isCurrent)
        }
    }

    @Test("A change count of a broker that has ended never holds")
    func epochs() async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            let publication = try await pasteboard.write([.text("a")])
            let count = publication.changeCount
            let json = Data(#"{"value":\#(count.value),"epoch":\#(count.epoch &+ 1)}"#.utf8)
            let other = try JSONDecoder().decode(ChangeCount.self, from: json)
            await expectError(.superseded) {
                try await pasteboard.write([.text("b")], options: .init(ifChangeCount: other))
            }
            #expect(publication.isCurrent)
        }
    }
}
