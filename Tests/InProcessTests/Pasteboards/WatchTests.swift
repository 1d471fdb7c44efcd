import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing
import TypeIdentifiers

/// The frames of a watch, at a broker that the test writes, and its changes through a broker.
@Suite(.inProcess)
struct WatchTests {
    /// A broker that reports as many changes as the watch has credit for.
    private final class WatchedBroker: Sendable {
        let watches = Lock<[Watch]>([])
        let credits = Lock<[UInt64]>([])
        let (kinds, kind) = AsyncStream<FrameKind>.makeStream()
        private let failure: Failure?

        /// - Parameter failure: the answer to credit for a second change.
        init(failure: Failure? = nil) {
            self.failure = failure
        }

        func connect() -> PasteboardConnection {
            ScriptedBroker { peer, frame in
                switch frame.kind {
                case .watch:
                    let watch = try frame.decoded(as: Watch.self)
                    self.watches.withLock { $0.append(watch) }
                    try peer.send(Registered(), stream: frame.stream)
                    if watch.credit == 1 { try peer.send(Self.change(1), stream: frame.stream) }
                case .credit:
                    let offset = try frame.decoded(as: Credit.self).offset ?? 0
                    self.credits.withLock { $0.append(offset) }
                    if let failure = self.failure {
                        try peer.send(failure, stream: frame.stream)
                    } else {
                        try peer.send(Self.change(offset), stream: frame.stream)
                    }
                default:
                    break
                }
                if let kind = frame.kind { self.kind.yield(kind) }
            }.connect()
        }

        private static func change(_ number: UInt64) -> PasteboardWire.Change {
            var change = PasteboardWire.Change()
            (change.changeCount, change.epoch, change.handle) = (number, 7, 3)
            (change.itemCount, change.ownerLabel, change.ownerProcess) = (2, "writer", 812)
            (change.types, change.version, change.missed) = (["public.png", "org.example.note"], 4, 5)
            var terms = ContentTerms()
            terms.isTransient = true
            terms.expiresMilliseconds = 1500
            change.terms = terms
            return change
        }
    }

    @Test("Each call of next grants credit for one change, and leaving the loop cancels the watch")
    func credit() async throws {
        let broker = WatchedBroker()
        let pasteboard = Pasteboard(name: "notes", connection: broker.connect())
        var counts: [UInt64] = []
        for try await change in pasteboard.changes() {
            counts.append(change.changeCount.value)
            if counts.count == 3 { break }
        }
        #expect(counts == [1, 2, 3])
        var kinds: [FrameKind] = []
        for await kind in broker.kinds {
            kinds.append(kind)
            if kind == .cancel { break }
        }
        #expect(kinds == [.watch, .credit, .credit, .cancel])
        #expect(broker.credits.withLock { $0 } == [2, 3])
        let watch = try #require(broker.watches.withLock { $0 }.first)
        #expect(watch.board == "notes" && watch.requires == [Feature.watches.rawValue])
        #expect(watch.sinceChangeCount == nil && watch.sinceEpoch == nil)
    }

    @Test("A change contains the newest state of the pasteboard")
    func values() async throws {
        let broker = WatchedBroker()
        let pasteboard = Pasteboard(name: .general, connection: broker.connect())
        let change = try await pasteboard.nextChange()
        #expect(change.types.map(\.identifier) == ["public.png", "org.example.note"])
        #expect(change.itemCount == 2 && !change.isEmpty && change.version == 4 && change.missed == 5)
        #expect(change.ownerLabel == "writer" && change.ownerProcess == 812)
        #expect(change.terms.isTransient && !change.terms.isConcealed && change.terms.expiresIn == .milliseconds(1500))
        // The watch of a single change is over, and the next one continues from the count.
        _ = try await pasteboard.nextChange(since: change.changeCount)
        let since = broker.watches.withLock { $0 }.map(\.sinceChangeCount)
        #expect(since == [nil, 1] && broker.watches.withLock { $0 }.last?.sinceEpoch == 7)
    }

    @Test("A failed watch throws its error once, and then the sequence is over")
    func failing() async throws {
        let broker = WatchedBroker(failure: Failure(.limitExceeded, "too many watches"))
        let pasteboard = Pasteboard(name: .general, connection: broker.connect())
        var changes = pasteboard.changes().makeAsyncIterator()
        #expect(try await changes.next() != nil)
        await expectError(.limitExceeded) { try await changes.next() }
        #expect(try await changes.next() == nil)
    }

    @Test("A wait for a change ends at its timeout or with its task, and cancels the watch", arguments: [false, true])
    func ending(isCancelled: Bool) async throws {
        let (kinds, kind) = AsyncStream<FrameKind>.makeStream()
        let isWatched = Gate()
        let broker = ScriptedBroker { peer, frame in
            if frame.kind == .watch {
                try peer.send(Registered(), stream: frame.stream)
                isWatched.open()
            }
            if let received = frame.kind { kind.yield(received) }
        }
        let pasteboard = Pasteboard(name: .general, connection: broker.connect())
        // A short timeout may pass before the watch is made.
        var timeout = Duration.milliseconds(100)
        while !isWatched.isOpen {
            let wait = Task { [timeout] in try await pasteboard.nextChange(timeout: isCancelled ? nil : timeout) }
            timeout *= 2
            if isCancelled {
                await isWatched.wait()
                wait.cancel()
            }
            let error = await #expect(throws: PasteboardError.self) { try await wait.value }
            #expect(error?.code == (isCancelled ? .cancelled : .timeout))
        }
        var arrived = kinds.makeAsyncIterator()
        #expect(await arrived.next() == .watch)
        #expect(await arrived.next() == .cancel)
    }

    @Test("A watch reports writes and clears of other programs, and loads nothing")
    func reporting() async throws {
        try await TestBroker.with { broker in
            let calls = Counter()
            let provider = ItemProvider.making(.html) {
                calls.increment()
                return Data()
            }
            let writer = broker.pasteboard()
            let before = try await writer.clear()
            var changes = broker.pasteboard().changes(since: before).makeAsyncIterator()
            let publication = try await writer.write([provider, .text("a")], options: .init(isTransient: true))
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

    @Test("A connection watches all pasteboards, and each change names its own")
    func all() async throws {
        try await TestBroker.with { broker in
            let writer = broker.pasteboard()
            let connection = broker.pasteboard().connection
            let names = Lock<[String]>([])
            let reader = Task {
                for try await change in connection.changes() {
                    names.withLock { $0.append(change.name.rawValue) }
                    if change.name == "last" { break }
                }
            }
            // The watch begins with the first call of the reader.
            let new = Pasteboard(name: "new", connection: writer.connection)
            repeat { try await new.write("a") } while names.withLock { $0.isEmpty }
            try await Pasteboard(name: "last", connection: writer.connection).write("a")
            try await reader.value
            #expect(names.withLock { Set($0) } == ["new", "last"] && names.withLock { $0.last } == "last")
        }
    }
}
