import BrokerState
import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerLoop

/// A broker that leaves contents on the disk when it ends.
@Suite(.inProcess) final class SnapshotTests {
    private let directory: TemporaryDirectory
    private let log = Lines()

    private final class Lines: Sendable {
        private let lines = Lock<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private final class Flag: Sendable {
        let value = Lock<Bool?>(nil)
    }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let boot = Boot(id: "first") { 1_000_000 }

    /// Starts a broker after the end of the one before.
    private func broker(
        limit: UInt64 = 1 << 20,
        boot: Boot = boot,
        _ manager: SavingManager? = nil
    ) throws -> SteppedBroker {
        let broker = try SteppedBroker { [log] in log.append($0) }
        try broker.loop.beginSaving(with: try manager?.connected(), restoring: manager?.passed ?? [])
        broker.loop.beginSaving(on: try Snapshot(in: directory["state"], name: "snapshot", limit: limit), boot: boot)
        try broker.step(2)
        return broker
    }

    private func write(
        _ bytes: [UInt8],
        to board: String,
        of broker: SteppedBroker,
        _ change: (inout ContentTerms) -> Void = { _ in }
    ) throws {
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

    private func changeCount(of board: String, at broker: SteppedBroker) throws -> UInt64? {
        let frames = try broker.answer(List(board), to: broker.connect(), turns: 6)
        return try frames.first { $0.kind == .contents }?.decoded(as: Contents.self).changeCount
    }

    /// Stops a broker, and returns the answer.
    @discardableResult
    private func stop(_ broker: SteppedBroker) throws -> End? {
        let frames = try broker.answer(Stop(), to: broker.connect(), turns: 6)
        return try frames.first { $0.kind == .end }?.decoded(as: End.self)
    }

    private var files: [String] { directory.names(in: "state") }

    @Test(
        "After a restart of the machine, the same bytes are served again under a new count",
        .tags(.f102),
        arguments: [0, 3, 200_000]
    )
    func restart(size: Int) throws {
        let contents = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let first = try broker()
        try write(contents, to: "x", of: first)
        try write([9], to: "y", of: first)
        let count = try changeCount(of: "x", at: first)
        #expect(files == [])
        #expect(try stop(first)?.lostBoards == [])
        #expect(files == ["snapshot"])
        #expect(try System.status(at: directory["state"])?.mode == 0o700)
        #expect(try System.status(at: directory["state/snapshot"])?.mode == 0o600)
        let next = try broker(boot: Boot(id: "second") { 2_000_000 })
        #expect(files == [])
        #expect(try bytes(on: "x", of: next) == contents && bytes(on: "y", of: next) == [9])
        // The earlier count may be above those of this start of the machine, so it is not taken over.
        #expect(try changeCount(of: "x", at: next) != count)
        #expect(log.all == [])
    }

    @Test("Only what is kept is left on the disk, and the answer to a stop says what is lost", .tags(.f102))
    func excluded() throws {
        let broker = try broker()
        try write([1], to: "secret", of: broker) { $0.isConcealed = true }
        try write([1], to: "transient", of: broker) { $0.isTransient = true }
        try write([1], to: "once", of: broker) { $0.maximumLoads = 1 }
        try broker.publish(on: "promised", by: broker.connect())
        let end = try stop(broker)
        #expect(end?.lostBoards == ["once", "promised", "secret", "transient"] && end?.diskError == nil)
        #expect(files == [])
    }

    @Test("What does not fit into the limit is reported, and the contents that were written last come first")
    func full() throws {
        let broker = try broker(limit: 1_024)
        try write(Array(repeating: 7, count: 800), to: "small", of: broker)
        try write(Array(repeating: 7, count: 2_000), to: "large", of: broker)
        let end = try stop(broker)
        #expect(end?.lostBoards == ["large"] && end?.diskError?.contains("kept-on-disk, 1024 bytes") == true)
        #expect(log.all.count == 1 && log.all[0].contains("large"))
        #expect(try bytes(on: "small", of: self.broker())?.count == 800)
    }

    @Test(
        "A disk that cannot be written is reported, and an earlier snapshot stays",
        .tags(.f63),
        arguments: [true, false]
    )
    func failure(isMissing: Bool) throws {
        let broker = try broker()
        try write([1], to: "x", of: broker)
        if isMissing {
            try System.removeDirectory(directory["state"])
        } else {
            _ = try directory.makeDirectory("state/snapshot.new")
            try directory.write([1], to: "state/snapshot")
        }
        let end = try stop(broker)
        #expect(end?.lostBoards == ["x"] && end?.diskError?.contains("state/snapshot: ") == true)
        #expect(log.all.count == 1 && log.all[0].contains("cannot leave contents on the disk"))
        #expect(files == (isMissing ? [] : ["snapshot", "snapshot.new"]))
    }

    @Test("Brokers at different sockets have different files")
    func names() {
        #expect(Snapshot.name(for: nil) == "snapshot" && Snapshot.name(for: SocketPath("/r/p/socket")) == "snapshot")
        let names = ["/a/b", "/a%2Fb", "/ä/b", "/ö/b"].map { Snapshot.name(for: SocketPath($0, isWellKnown: false)) }
        #expect(names == ["snapshot%2Fa%2Fb", "snapshot%2Fa%252Fb", "snapshot%2Fä%2Fb", "snapshot%2Fö%2Fb"])
    }

    @Test("Calls to a disk that hangs are given up, and are told so", .tags(.f63))
    func hanging() throws {
        let (disk, ended) = (Semaphore(), Semaphore())
        let isWanted = Flag()
        let result = PatientCall<Bool>.run(patience: 50) { call in
            for _ in 0..<10 { _ = call.step() }
            disk.wait()
            isWanted.value.withLock { $0 = call.step() }
            ended.signal()
            return true
        }
        #expect(result == nil)
        disk.signal()
        ended.wait()
        #expect(isWanted.value.withLock { $0 } == false)
        #expect(PatientCall<Int>.run(patience: 600_000) { _ in 7 } == 7)
    }

    @Test("If the manager has passed contents, those on the disk are older and are removed", .tags(.f102))
    func passed() throws {
        let manager = try SavingManager()
        let first = try broker(manager)
        try write([1], to: "x", of: first)
        try write([1], to: "y", of: first)
        try manager.handleMessages()
        try stop(first)
        #expect(files == ["snapshot"])
        let clear = try SavingManager()
        clear.saved = manager.saved
        let next = try broker(clear)
        #expect(files == [] && log.all == [])
        #expect(try bytes(on: "x", of: next) == [1])
    }

    @Test("What was on the disk is saved with the manager before it is removed", .tags(.f86, .f102))
    func saved() throws {
        let first = try broker()
        try write([1], to: "x", of: first)
        try stop(first)
        let manager = try SavingManager()
        _ = try broker(manager)
        try manager.handleMessages()
        #expect(files == [] && manager.names.count == 2)
        #expect(try bytes(on: "x", of: broker(manager)) == [1])
    }

    @Test("A broker that is killed while it restores contents leaves none of them behind", .tags(.f86, .f102))
    func killedAtStart() throws {
        let first = try broker()
        for board in ["x", "y"] { try write([1], to: board, of: first) }
        try stop(first)
        let snapshot = try directory.contents(of: "state/snapshot")
        let manager = try SavingManager()
        _ = try broker(manager)
        try manager.handleMessages()
        // As if that broker had sent the contents of one board, and neither sent the index nor removed the file.
        let sent = manager.saved.filter { $0.name != SavedIndex.name }.prefix(2)
        manager.saved = Array(sent)
        try directory.write(snapshot, to: "state/snapshot")
        let next = try broker(manager)
        #expect(try bytes(on: "x", of: next) == [1] && bytes(on: "y", of: next) == [1])
        #expect(files == [] && log.all == [])
    }

    @Test("A damaged record is reported and keeps its file, and the others are restored", .tags(.f103))
    func damaged() throws {
        let first = try broker()
        for board in ["a", "b", "c"] { try write([1, 2], to: board, of: first) }
        try stop(first)
        var bytes = try directory.contents(of: "state/snapshot")
        bytes[bytes.count - 1] ^= 1
        try directory.write(bytes, to: "state/snapshot")
        let next = try broker()
        #expect(log.all.count == 2 && log.all[0].contains("do not match their checksum"))
        #expect(log.all[1].contains("snapshot.unread"))
        #expect(try ["a", "b", "c"].count { try self.bytes(on: $0, of: next) == [1, 2] } == 2)
        #expect(files == ["snapshot.unread"])
    }

    @Test("A file that is not a regular one is not read", arguments: ["mkfifo", "mkdir"])
    func strange(command: String) throws {
        _ = try broker()
        let made = try ChildProcess(.init(path: "/usr/bin/\(command)", arguments: [directory["state/snapshot"]])).wait()
        #expect(made == .exited(0))
        _ = try broker()
        #expect(log.all.count == 1 && log.all[0].contains("not a regular file"))
        #expect(files == ["snapshot"])
    }

    @Test("What cannot be removed is not restored: it would come back at each start", .tags(.f63))
    func readOnly() throws {
        let first = try broker()
        try write([1], to: "x", of: first)
        try stop(first)
        try System.setMode(0o500, of: SystemString(directory["state"]))
        defer { try? System.setMode(0o700, of: SystemString(directory["state"])) }
        // Root can remove it in spite of the mode.
        guard System.userID != 0 else { return }
        let next = try broker()
        #expect(try bytes(on: "x", of: next) == nil)
        #expect(log.all.count == 1 && files == ["snapshot"])
    }

    @Test("Contents expire at the same time, also if the machine was off meanwhile")
    func expiry() throws {
        let first = try broker()
        try write([1], to: "x", of: first) { $0.expiresMilliseconds = 3_600_000 }
        try write([2], to: "y", of: first) { $0.expiresMilliseconds = 36_000_000 }
        try stop(first)
        // The machine has started again, and its wall clock is two hours later.
        let now = Boot.current().startedAt()
        let next = try broker(boot: Boot(id: "second") { now + 7_200_000 })
        #expect(try bytes(on: "x", of: next) == nil)
        #expect(try bytes(on: "y", of: next) == [2])
        #expect(files == [] && log.all == [])
    }

    @Test("A broker that is taken over leaves nothing on the disk")
    func takenOver() throws {
        let first = try broker(try SavingManager())
        try write([1], to: "x", of: first)
        first.loop.beginTakeover()
        try first.step(2)
        #expect(files == [])
    }

    @Test("The files of earlier versions are restored", arguments: ReleasedStreams.versions)
    func released(version: String) throws {
        _ = try directory.makeDirectory("state")
        let lines = try ReleasedStreams.text("snapshot.hex", of: version).split(separator: "\n").dropFirst()
        var bytes: [UInt8] = []
        var digits = Substring(lines.joined())
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        try directory.write(bytes, to: "state/snapshot")
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
}
