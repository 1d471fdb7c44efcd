import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// The frames with which a connection restores its publications, watches and destinations, at a broker that the test
/// writes.
@Suite(.inProcess)
struct ReconnectionTests {
    /// A broker that can die. Its epoch is 7.
    private final class MortalBroker: Sendable {
        let writes: AsyncStream<Write>
        let watches: AsyncStream<Watch>
        let clears: AsyncStream<Clear>
        let destinations: AsyncStream<Destination>
        private let write: AsyncStream<Write>.Continuation
        private let watch: AsyncStream<Watch>.Continuation
        private let clear: AsyncStream<Clear>.Continuation
        private let destination: AsyncStream<Destination>.Continuation
        private let peer = Lock<ScriptedPeer?>(nil)
        private let streams = Lock<(publication: UInt64, commits: UInt64)>((0, 0))
        /// The answer to a write that reclaims; nil: committed.
        private let refusal: Failure?
        /// Whether a watch that begins with credit is sent a change, or only one that continues.
        private let reportsAtOnce: Bool

        init(refusal: Failure? = nil, reportsAtOnce: Bool = true) {
            self.refusal = refusal
            self.reportsAtOnce = reportsAtOnce
            (writes, write) = AsyncStream.makeStream()
            (watches, watch) = AsyncStream.makeStream()
            (clears, clear) = AsyncStream.makeStream()
            (destinations, destination) = AsyncStream.makeStream()
        }

        func connect() -> PasteboardConnection {
            var welcome = Welcome.standard()
            welcome.features = Feature.allCases.map(\.rawValue)
            return ScriptedBroker(welcome: welcome) { peer, frame in
                self.peer.withLock { $0 = peer }
                switch frame.kind {
                case .write:
                    let write = try frame.decoded(as: Write.self)
                    if let refusal = self.refusal, write.reclaimsChangeCount != nil {
                        try peer.send(refusal, stream: frame.stream)
                    }
                    if write.handle == nil { self.streams.withLock { $0.publication = frame.stream } }
                    self.write.yield(write)
                case .commit:
                    let handle = self.streams.withLock { streams in
                        streams.commits += 1
                        return streams.commits
                    }
                    if self.refusal != nil, handle > 1 { break }
                    var committed = Committed()
                    (committed.changeCount, committed.epoch, committed.handle) = (40 + handle, 7, handle)
                    try peer.send(committed, stream: frame.stream)
                case .clear:
                    let clear = try frame.decoded(as: Clear.self)
                    var committed = Committed()
                    (committed.changeCount, committed.epoch) = (90, 7)
                    try peer.send(committed, stream: frame.stream)
                    try peer.send(End(), stream: frame.stream)
                    var end = End()
                    end.reason = .cleared
                    try peer.send(end, stream: self.streams.withLock { $0.publication })
                    self.clear.yield(clear)
                case .watch:
                    var registered = Registered()
                    (registered.changeCount, registered.epoch) = (49, 7)
                    try peer.send(registered, stream: frame.stream)
                    self.watch.yield(try frame.decoded(as: Watch.self))
                    let watch = try frame.decoded(as: Watch.self)
                    if watch.credit == 1, self.reportsAtOnce || watch.sinceChangeCount != nil {
                        try self.sendChange(50, on: frame.stream)
                    }
                case .credit:
                    try self.sendChange(51, on: frame.stream)
                case .destination:
                    try peer.send(Registered(), stream: frame.stream)
                    self.destination.yield(try frame.decoded(as: Destination.self))
                default: break
                }
            }.connect()
        }

        private func sendChange(_ count: UInt64, on stream: UInt64) throws {
            var change = PasteboardWire.Change()
            (change.changeCount, change.epoch) = (count, 7)
            try peer.withLock { $0 }?.send(change, stream: stream)
        }

        /// Closes the connection without a word. The next one is served.
        func die() {
            peer.withLock { exchange(&$0, with: nil) }?.shutDown()
        }
    }

    @Test("A publication is written again under its change count, and is used over the new connection")
    func publication() async throws {
        let broker = MortalBroker()
        let pasteboard = Pasteboard(name: "notes", connection: broker.connect())
        var options = Pasteboard.WriteOptions()
        options.isTransient = true
        options.expiresAfter = .seconds(600)
        let publication = try await pasteboard.write([.text("a")], options: options)
        var writes = broker.writes.makeAsyncIterator()
        let first = try #require(await writes.next())
        #expect(first.reclaimsChangeCount == nil)
        broker.die()
        let again = try #require(await writes.next())
        #expect(again.board == "notes" && again.reclaimsChangeCount == 41 && again.reclaimsEpoch == 7)
        #expect(Set(again.requires) == [Feature.reclaim.rawValue, Feature.terms.rawValue])
        #expect(again.terms?.isTransient == true && again.terms?.expiresMilliseconds ?? .max <= 600_000)
        // Waits until the contents are restored.
        try await publication.add([.text("b")])
        let addition = try #require(await writes.next())
        #expect(addition.handle == 2)
        #expect(publication.isCurrent && publication.changeCount.value == 41)
        // The added items are restored, too.
        broker.die()
        #expect(await writes.next()?.reclaimsChangeCount == 41)
        try await publication.add([.text("c")])
        try await publication.withdraw()
        var clears = broker.clears.makeAsyncIterator()
        #expect(await clears.next()?.ifChangeCount == 41)
        #expect(try await publication.outcome() == .withdrawn)
    }

    @Test(
        "A publication that the next broker refuses ends: as replaced if there are newer contents",
        arguments: [(ErrorCode.superseded, Publication.Outcome.replaced), (.versionMismatch, .brokerGone)]
    )
    func refused(code: ErrorCode, end: Publication.Outcome) async throws {
        let broker = MortalBroker(refusal: Failure(code, "no"))
        let pasteboard = Pasteboard(name: .general, connection: broker.connect())
        let publication = try await pasteboard.write([.text("a")])
        let handOver = Task { try await publication.handOver(timeout: .seconds(600)) }
        broker.die()
        await expectError(.superseded) { try await handOver.value }
        #expect(try await publication.outcome() == end)
        #expect(await publication.run() == end)
        await expectError(.superseded) { try await publication.add([.text("b")]) }
    }

    @Test("A publication with a number of loads ends with its connection, and so does one of secrets that are kept")
    func ending() async throws {
        for isConcealed in [false, true] {
            let broker = MortalBroker()
            let pasteboard = Pasteboard(name: .general, connection: broker.connect())
            var options = Pasteboard.WriteOptions()
            options.isConcealed = isConcealed
            if !isConcealed { options.maximumLoads = 1 }
            let publication = try await pasteboard.write(
                [.text("a")],
                keeps: isConcealed ? .everything : .nothing,
                options: options
            )
            broker.die()
            #expect(try await publication.outcome() == .brokerGone)
        }
    }

    @Test("A watch continues with the change that it has reported last")
    func watch() async throws {
        let broker = MortalBroker()
        let pasteboard = Pasteboard(name: "notes", connection: broker.connect())
        var changes = pasteboard.changes().makeAsyncIterator()
        #expect(try await changes.next()?.changeCount.value == 50)
        var watches = broker.watches.makeAsyncIterator()
        #expect(await watches.next()?.sinceChangeCount == nil)
        broker.die()
        let again = try #require(await watches.next())
        #expect(again.board == "notes" && again.sinceChangeCount == 50 && again.sinceEpoch == 7 && again.credit == 0)
        #expect(try await changes.next()?.changeCount.value == 51)
        // A call that waits gets the next change, too.
        let waiting = Task { [changes] in
            var changes = changes
            return try await changes.next()?.changeCount.value
        }
        #expect(try await waiting.value == 51)
    }

    @Test("A watch that has reported nothing continues with the state in which it began")
    func freshWatch() async throws {
        let broker = MortalBroker(reportsAtOnce: false)
        let pasteboard = Pasteboard(name: "notes", connection: broker.connect())
        let waiting = Task {
            var changes = pasteboard.changes().makeAsyncIterator()
            return try await changes.next()?.changeCount.value
        }
        var watches = broker.watches.makeAsyncIterator()
        #expect(await watches.next()?.sinceChangeCount == nil)
        broker.die()
        let again = try #require(await watches.next())
        // The new watch has the credit of the call that waits.
        #expect(again.sinceChangeCount == 49 && again.sinceEpoch == 7 && again.credit == 1)
        #expect(try await waiting.value == 50)
    }

    @Test("A destination is registered again")
    func destination() async throws {
        let broker = MortalBroker()
        let connection = broker.connect()
        let serving = Task {
            try await DropDestination(name: "desk", accepting: [.text], connection: connection).run { _, _ in }
        }
        var destinations = broker.destinations.makeAsyncIterator()
        for _ in 0..<3 {
            let destination = try #require(await destinations.next())
            #expect(destination.name == "desk" && destination.accepts.count == 1)
            broker.die()
        }
        await connection.close()
        await expectError(.brokerUnavailable) { try await serving.value }
    }

    @Test("A connection that nobody refers to closes, although it has contents to restore")
    func released() async throws {
        let broker = MortalBroker()
        weak var released: PasteboardConnection?
        do {
            let connection = broker.connect()
            released = connection
            try await Pasteboard(name: .general, connection: connection).write([.text("a")])
        }
        // A task that connects may have the last reference for a moment.
        try await eventually("the release of the connection") { released == nil }
    }

    @Test("A publication that is withdrawn while there is no broker ends at once, and is not written again")
    func withdrawn() async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            let publication = try await pasteboard.write([.text("a")])
            try await broker.stop()
            // A withdrawal fails until the connection has noticed its loss.
            try await eventually("a withdrawal") { (try? await publication.withdraw()) != nil }
            #expect(try await publication.outcome() == .withdrawn)
            let next = try broker.restart()
            #expect(try await pasteboard.contents().items.isEmpty)
            try await next.stop()
        }
    }
}
