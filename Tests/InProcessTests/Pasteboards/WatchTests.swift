import FoundationEssentials
import PasteboardKit
import TestSupport
import Testing
import TypeIdentifiers

/// Watches of pasteboards, through a broker.
@Suite(.inProcess)
struct WatchTests {
    @Test("A watch reports writes and clears of other programs, and loads nothing")
    func reporting() async throws {
        try await TestBroker.with { broker in
            let calls = Counter()
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .html) {
                calls.increment()
                return Data()
            }
            let writer = broker.pasteboard()
            let before = try await writer.clear()
            var changes = broker.pasteboard().changes(since: before).makeAsyncIterator()
            var options = Pasteboard.WriteOptions()
            options.isTransient = true
            let publication = try await writer.write([provider, .text("a")], options: options)
            let first = try #require(try await changes.next())
            #expect(first.changeCount == publication.changeCount && first.itemCount == 2 && !first.isEmpty)
            #expect(first.types == [.html, .utf8PlainText])
            #expect(first.terms.isTransient && !first.terms.isConcealed)
            #expect(first.ownerProcess == ProcessInfo.processInfo.processIdentifier)
            let cleared = try await writer.clear()
            let second = try #require(try await changes.next())
            #expect(second.changeCount == cleared && second.isEmpty && second.types.isEmpty && second.missed == 0)
            #expect(calls.value == 0)
        }
    }

    @Test("A slow reader gets the last change, with the number of those that it missed")
    func missing() async throws {
        try await TestBroker.with { broker in
            let writer = broker.pasteboard("notes")
            let first = try await writer.write("0").changeCount
            var changes = broker.pasteboard("notes").changes(since: first).makeAsyncIterator()
            for number in 1...20 { try await writer.write("\(number)") }
            var missed = 0
            while let change = try await changes.next() {
                missed += 1 + (change.missed ?? 0)
                if change.changeCount.value == first.value + 20 { break }
            }
            #expect(missed == 20)
        }
    }

    @Test("Without a count, only changes after the beginning are reported, and each watch of many gets them")
    func many() async throws {
        try await TestBroker.with { broker in
            let writer = broker.pasteboard()
            try await writer.write("before")
            let current = try await writer.changeCount
            let connection = broker.connect()
            let counts = try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await Pasteboard(name: .general, connection: connection).nextChange(since: current)
                            .changeCount
                    }
                }
                try await writer.write("after")
                return try await group.reduce(into: Set<ChangeCount>()) { $0.insert($1) }
            }
            let after = try await writer.changeCount
            #expect(counts == [after])
        }
    }

    @Test("A watch continues at the next broker")
    func brokerEnd() async throws {
        let first = try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            let count = try await pasteboard.write("a").changeCount
            let watch = Task { try await pasteboard.nextChange(since: count) }
            try await pasteboard.clear()
            #expect(try await watch.value.isEmpty)
            var changes = pasteboard.changes(since: count).makeAsyncIterator()
            _ = try await changes.next()
            try await broker.stop()
            let successor = try broker.restart()
            let written = try await successor.pasteboard().write("b").changeCount
            let change = try #require(try await changes.next())
            #expect(change.missed == nil && change.changeCount == written && written.epoch != count.epoch)
            try await successor.stop()
            return count
        }
        #expect(first.value > 0)
    }
}
