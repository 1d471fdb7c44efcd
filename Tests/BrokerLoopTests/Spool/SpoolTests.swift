import BrokerState
import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerLoop

/// A broker that keeps contents on disk.
@Suite(.inProcess) final class SpoolTests {
    private let directory: TemporaryDirectory
    private let log = Lines()

    private final class Lines: Sendable {
        private let lines = Lock<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let boot = Boot(id: "first") { 1_000_000 }

    /// Starts a broker with the spool, after the end of the one before.
    private func broker(
        limit: String = "1MiB",
        boot: Boot = boot,
        writes: Bool = true,
        _ manager: SavingManager? = nil,
        time: SteppedTime? = nil
    ) throws -> SteppedBroker {
        let broker = try SteppedBroker(limits: ["kept-on-disk=\(limit)"], time: time) { [log] in log.append($0) }
        let passed = manager?.passed ?? []
        try broker.loop.beginSaving(
            with: try manager?.connected(),
            restoring: passed,
            // The thread of the one before may still run.
            on: try SpoolDirectory(passed) ?? SpoolDirectory(at: directory["state/spool"], timeout: 600_000),
            boot: boot
        )
        if writes { broker.loop.startSpool() }
        try broker.step(2)
        return broker
    }

    /// Waits until the disk has everything.
    private func settle(_ broker: SteppedBroker?) throws {
        let broker = try #require(broker)
        while broker.loop.spool?.isBusy == true { try broker.loop.turn(waiting: true) }
        try broker.step(2)
    }

    private func write(
        _ bytes: [UInt8],
        to board: String,
        of broker: SteppedBroker?,
        _ change: (inout ContentTerms) -> Void = { _ in }
    ) throws {
        let broker = try #require(broker)
        let writer = try broker.connect()
        var terms = ContentTerms()
        change(&terms)
        writer.queueWrite(bytes, to: board, terms == ContentTerms() ? nil : terms)
        for _ in 0..<10 { try broker.step(sending: writer) }
    }

    private func bytes(on board: String, of broker: SteppedBroker) throws -> [UInt8]? {
        let frames = try broker.answer(Load(board), to: broker.connect())
        return frames.contains { $0.kind == .error } ? nil : frames.filter { $0.kind == .data }.flatMap(\.payload)
    }

    private var files: [String] { directory.names(in: "state/spool") }

    @Test(
        "After a restart of the machine, the same bytes are served again under a new count",
        .tags(.f102),
        arguments: [0, 3, 200_000]
    )
    func restart(size: Int) throws {
        let contents = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var first: SteppedBroker? = try broker()
        try write(contents, to: "x", of: first)
        try write([9], to: "y", of: first)
        try settle(first)
        var count = try changeCount(of: "x", at: first)
        first = nil
        #expect(files.count == 2)
        #expect(try System.status(at: directory["state/spool"])?.mode == 0o700)
        for name in files { #expect(try System.status(at: directory["state/spool/\(name)"])?.mode == 0o600) }
        for boot in ["second", "third"] {
            let next = try broker(boot: Boot(id: boot) { 2_000_000 })
            #expect(try bytes(on: "x", of: next) == contents)
            #expect(try bytes(on: "y", of: next) == [9])
            // The earlier count may be above those of this start of the machine, so it is not taken over.
            let before = count
            count = try changeCount(of: "x", at: next)
            #expect(before != nil && count != before)
            try write([1], to: "y", of: next)
            #expect(try changeCount(of: "y", at: next) ?? 0 > count ?? .max)
            try write([9], to: "y", of: next)
            try settle(next)
            #expect(files.count == 2)
        }
        #expect(log.all == [])
    }

    private func changeCount(of board: String, at broker: SteppedBroker?) throws -> UInt64? {
        let broker = try #require(broker)
        let frames = try broker.answer(List(board), to: broker.connect(), turns: 6)
        return try frames.first { $0.kind == .contents }?.decoded(as: Contents.self).changeCount
    }

    @Test("Secrets, transient contents, promises and contents for one paste never reach the disk")
    func excluded() throws {
        let broker = try broker()
        try write([1], to: "secret", of: broker) { $0.isConcealed = true }
        try write([1], to: "transient", of: broker) { $0.isTransient = true }
        try write([1], to: "once", of: broker) { $0.maximumLoads = 1 }
        try broker.publish(on: "promised", by: broker.connect())
        try settle(broker)
        #expect(files == [] && broker.loop.spool?.isBusy == false)
    }

    @Test("What was replaced or cleared leaves the disk")
    func replaced() throws {
        let broker = try broker()
        for byte in 1...5 { try write([UInt8(byte)], to: "x", of: broker) }
        try settle(broker)
        #expect(files.count == 1)
        var clear = Clear()
        clear.board = "x"
        _ = try broker.answer(clear, to: broker.connect())
        try settle(broker)
        #expect(files == [])
    }

    @Test("A file that is replaced before it was written is not written")
    func coalesced() throws {
        let broker = try broker(writes: false)
        for byte in 1...5 { try write([UInt8(byte)], to: "x", of: broker) }
        broker.loop.startSpool()
        try settle(broker)
        #expect(files == ["5"])
    }

    @Test("A damaged file is reported and stays, and the others are restored", .tags(.f103))
    func damaged() throws {
        var first: SteppedBroker? = try broker()
        for board in ["x", "y", "z"] { try write([1, 2, 3], to: board, of: first) }
        try settle(first)
        first = nil
        var bytes = try directory.contents(of: "state/spool/2")
        bytes[bytes.count - 10] ^= 1
        try directory.write(bytes, to: "state/spool/2")
        try directory.write("noise", to: "state/spool/3")
        try directory.write([], to: "state/spool/7.new")
        try directory.write("a user's", to: "state/spool/notes")
        #expect(mkfifo(directory["state/spool/4"], 0o600) == 0)
        #expect(symlink("1", directory["state/spool/5"]) == 0)
        let next = try broker()
        #expect(try self.bytes(on: "x", of: next) == [1, 2, 3])
        #expect(try self.bytes(on: "y", of: next) == nil && self.bytes(on: "z", of: next) == nil)
        #expect(files == ["1", "2", "3", "4", "5", "notes"])
        let lines = log.all
        #expect(
            lines.count == 4 && ["2", "3", "4", "5"].allSatisfy { n in lines.contains { $0.contains("spool/\(n),") } }
        )
        try write([4], to: "y", of: next)
        try settle(next)
        // It was replaced, as far as can be read.
        #expect(files == ["1", "3", "4", "5", "6", "notes"])
    }

    @Test("If there is no more room, the contents that were written first leave the disk first")
    func full() throws {
        var broker: SteppedBroker? = try self.broker(limit: "2048")
        for board in 0..<10 { try write(Array(repeating: 7, count: 300), to: "x\(board)", of: broker) }
        try settle(broker)
        let sizes = try files.map { try System.status(at: directory["state/spool/\($0)"])?.size ?? .max }
        #expect(sizes.reduce(0, +) <= 2_048 && files.count >= 3 && files.contains("10") && !files.contains("1"))
        // A later broker removes the same ones first, also if its limit is lower.
        broker = nil
        broker = try self.broker(limit: "1200", nil)
        try settle(broker)
        #expect(files.contains("10") && (1...2).contains(files.count))
        broker = nil
        broker = try self.broker(limit: "2048", nil)
        try write(Array(repeating: 7, count: 3_000), to: "x9", of: broker)
        try settle(broker)
        #expect(!files.contains("10") && !files.contains("11"))
        let lines = log.all
        #expect(lines.count == 1 && lines[0].contains("x9") && lines[0].contains("kept-on-disk, 2048"))
        #expect(try bytes(on: "x9", of: #require(broker)) == Array(repeating: 7, count: 3_000))
    }

    @Test("A file that cannot be written is reported, and the next contents are written", .tags(.f63))
    func failure() throws {
        let broker = try broker()
        _ = try directory.makeDirectory("state/spool/1.new")
        try write([1], to: "x", of: broker)
        try settle(broker)
        let lines = log.all
        #expect(lines.count == 1 && lines[0].contains("cannot write contents to the disk"))
        try write([2], to: "x", of: broker)
        try settle(broker)
        #expect(files == ["1.new", "2"])
        #expect(log.all.count == 1)
        let run = try ChildProcess(.init(path: "/bin/rm", arguments: ["-r", directory["state/spool"]])).wait()
        #expect(run == .exited(0))
        try write([3], to: "x", of: broker)
        try settle(broker)
        #expect(log.all.count == 2)
        #expect(try bytes(on: "x", of: broker) == [3])
    }

    @Test("After a restart of the machine, the contents that were written first still leave the disk first")
    func order() throws {
        var broker: SteppedBroker? = try self.broker(limit: "1500")
        for board in ["old", "new"] { try write(Array(repeating: 7, count: 300), to: board, of: broker) }
        try settle(broker)
        broker = nil
        broker = try self.broker(limit: "1500", boot: Boot(id: "second") { 2_000_000 })
        try settle(broker)
        try write(Array(repeating: 7, count: 700), to: "newest", of: broker)
        try settle(broker)
        broker = nil
        let last = try self.broker(limit: "1500", boot: Boot(id: "third") { 3_000_000 })
        #expect(try bytes(on: "old", of: last) == nil)
        #expect(try bytes(on: "new", of: last)?.count == 300 && bytes(on: "newest", of: last)?.count == 700)
    }

    @Test("Contents that could not be written are written when that is possible again")
    func retried() throws {
        let time = SteppedTime()
        var first: SteppedBroker? = try broker(time: time)
        _ = try directory.makeDirectory("state/spool/1.new")
        try write([1], to: "x", of: first)
        try settle(first)
        #expect(files == ["1.new"] && log.all.count == 1)
        time.advance(by: 9_999)
        try first?.step(2)
        #expect(first?.loop.spool?.isBusy == false)
        time.advance(by: 1)
        try first?.step()
        try settle(first)
        #expect(files == ["1.new", "2"] && log.all.count == 1)
        first = nil
        #expect(try bytes(on: "x", of: broker()) == [1])
    }

    @Test("The next broker writes a promise to the disk if its bytes were kept after the file was written")
    func keptSince() throws {
        let manager = try SavingManager()
        var first: SteppedBroker? = try broker(manager)
        let source = try #require(try first?.connect())
        let stream = source.newStream()
        source.queue(Write("x"), stream: stream)
        var (kept, promise) = (Representation(), Representation())
        (kept.type, kept.provision, kept.byteCount) = ("public.data", .kept, 1)
        (promise.type, promise.provision, promise.policy) = ("public.text", .promised, .onceAndKept)
        var item = Item()
        item.representations = [kept, promise]
        item.requires = [Feature.onceAndKept.rawValue]
        source.queue(item, stream: stream)
        source.queueData([1], stream: stream, last: true)
        source.queue(Commit(items: 1), stream: stream)
        for _ in 0..<10 { try first?.step(sending: source) }
        try settle(first)
        #expect(files == ["1"])
        // The writer is not answered before the manager has everything.
        while try source.hear().isEmpty {
            try manager.take()
            manager.giveReceipts()
            try first?.step()
        }
        // From now on its disk is stuck.
        first?.loop.spool?.stop()
        let reader = try #require(try first?.connect())
        var load = Load("x")
        load.accepts = [Accept()]
        load.accepts[0].type = "public.text"
        reader.queue(load, stream: reader.newStream())
        try first?.step(sending: reader)
        let ask = try #require(try source.hear().first { $0.kind == .ask })
        source.queueData([2], stream: ask.stream, last: true)
        for _ in 0..<3 { try first?.step(sending: source) }
        try manager.take()
        first = nil
        var next: SteppedBroker? = try broker(manager)
        try settle(next)
        #expect(files == ["2"])
        // The machine starts again, and nobody has the directory any more.
        next = nil
        manager.saved = []
        next = try broker(boot: Boot(id: "second") { 2_000_000 })
        let frames = try #require(try next?.answer(load, to: next?.connect() ?? reader))
        #expect(frames.filter { $0.kind == .data }.flatMap(\.payload) == [2])
    }

    @Test("Two brokers do not write to one spool")
    func locked() throws {
        let first = try broker()
        let error = #expect(throws: Failure.self) {
            _ = try SpoolDirectory(at: directory["state/spool"], timeout: 0)
        }
        #expect(error?.text.contains("another broker uses") == true)
        withExtendedLifetime(first) {}
    }

    @Test("A broker that ends leaves the spool to the next one when everything is written")
    func ended() throws {
        let first = try broker(writes: false)
        try write([1], to: "x", of: first)
        first.loop.stop()
        try first.step(3)
        #expect(files == [] && first.loop.spool?.isBusy == true)
        first.loop.startSpool()
        while first.loop.spool?.isBusy != nil { try first.loop.turn(waiting: true) }
        let next = try broker()
        #expect(try bytes(on: "x", of: next) == [1])
        withExtendedLifetime(first) {}
    }

    @Test("Contents expire at the same time, also if the machine was off meanwhile")
    func expiry() throws {
        var first: SteppedBroker? = try broker()
        try write([1], to: "x", of: first) { $0.expiresMilliseconds = 3_600_000 }
        try write([2], to: "y", of: first) { $0.expiresMilliseconds = 36_000_000 }
        try settle(first)
        first = nil
        // The machine has started again, and its wall clock is two hours later.
        let boot = Boot(id: "second") { Self.boot.startedAt() + 7_200_000 }
        let next = try broker(boot: boot)
        #expect(try bytes(on: "x", of: next) == nil)
        #expect(try bytes(on: "y", of: next) == [2])
        try settle(next)
        #expect(files.count == 1)
    }

    @Test("After a crash, the service manager knows what was cleared but is still on disk", .tags(.f102))
    func crash() throws {
        let manager = try SavingManager()
        var first: SteppedBroker? = try broker(manager)
        for board in ["x", "y"] { try write([1, 2], to: board, of: first) }
        try settle(first)
        try manager.take()
        first = nil
        #expect(files.count == 2)
        // Its disk is stuck.
        first = try broker(writes: false, manager)
        var clear = Clear()
        clear.board = "x"
        let peer = try #require(try first?.connect())
        peer.queue(clear, stream: peer.newStream())
        try first?.step(sending: peer)
        try write([3], to: "z", of: first)
        try manager.take()
        // It is killed.
        first = nil
        #expect(files.count == 2)
        let next = try broker(manager)
        #expect(try bytes(on: "x", of: next) == nil)
        #expect(try bytes(on: "y", of: next) == [1, 2])
        #expect(try bytes(on: "z", of: next) == [3])
        try settle(next)
        #expect(files.count == 2)
    }

    @Test("Contents that replace others, and cannot be written, leave those on the disk until they are cleared")
    func unwritten() throws {
        let broker = try broker()
        let writer = try broker.connect()
        writer.queueWrite([1], to: "x")
        for _ in 0..<10 { try broker.step(sending: writer) }
        try settle(broker)
        #expect(files == ["1"])
        _ = try directory.makeDirectory("state/spool/2.new")
        try write([2], to: "x", of: broker)
        try settle(broker)
        // Other contents: the first ones were replaced, whatever happens to these.
        #expect(files == ["2.new"])
        try write([3], to: "x", of: broker)
        try settle(broker)
        #expect(files == ["2.new", "3"])
    }

    @Test("The files of earlier versions are restored", arguments: ReleasedStreams.versions)
    func released(version: String) throws {
        _ = try directory.makeDirectory("state")
        _ = try directory.makeDirectory("state/spool")
        let lines = try ReleasedStreams.text("spool.hex", of: version).split(separator: "\n").dropFirst()
        var bytes: [UInt8] = []
        var digits = Substring(lines.joined())
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        try directory.write(bytes, to: "state/spool/1")
        let broker = try broker()
        #expect(log.all == [])
        let frames = try broker.answer(List("recorded"), to: broker.connect(), turns: 6)
        let item = try #require(frames.first { $0.kind == .item }).decoded(as: Item.self)
        #expect(item.suggestedName == "Grüße.html")
        #expect(item.representations.map(\.type) == ["public.html", "public.plain-text"])
        #expect(try self.bytes(on: "recorded", of: broker) == Array("<b>Grüße</b>".utf8))
        let contents = try frames.first { $0.kind == .contents }?.decoded(as: Contents.self)
        #expect(contents?.terms?.isLocalOnly == true && contents?.ownerLabel == "pasteboard")
    }

    @Test("A broker that hands over leaves the files to its successor")
    func handedOver() throws {
        let manager = try SavingManager()
        let first = try broker(manager)
        try write([1], to: "x", of: first)
        try settle(first)
        try manager.take()
        first.loop.beginTakeover()
        try first.step(2)
        let next = try broker(manager)
        try write([2], to: "x", of: next)
        try settle(next)
        #expect(files.count == 1)
        #expect(try bytes(on: "x", of: next) == [2])
        withExtendedLifetime(first) {}
    }
}
