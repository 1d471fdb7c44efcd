import BrokerLoop
import BrokerState
import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A broker that saves contents with a service manager, which is played by the test.
@Suite(.pure) struct SavingTests {
    private let manager: SavingManager
    private let broker: SteppedBroker

    init() throws {
        manager = try SavingManager()
        broker = try Self.broker(with: manager)
    }

    private static func broker(with manager: SavingManager, time: SteppedTime? = nil) throws -> SteppedBroker {
        let broker = try SteppedBroker(time: time)
        try broker.loop.beginSaving(with: try manager.connected(), restoring: manager.passed)
        return broker
    }

    /// Takes turns until nothing changes any more.
    private func settle(_ broker: SteppedBroker) throws {
        try broker.step(3)
        try manager.take()
    }

    private func giveReceipts(_ broker: SteppedBroker) throws {
        manager.giveReceipts()
        try settle(broker)
    }

    private func bytes(on board: String, of broker: SteppedBroker) throws -> [UInt8] {
        try broker.answer(Load(board), to: broker.connect()).filter { $0.kind == .data }.flatMap(\.payload)
    }

    @Test(
        "A write is acknowledged only after the service manager has its bytes",
        .tags(.f84)
    )
    func held() throws {
        let broker = try Self.broker(with: manager, time: SteppedTime())
        let writer = try broker.connect()
        writer.queueWrite([1, 2, 3], to: "x")
        try broker.step(sending: writer)
        try settle(broker)
        #expect(manager.saved.count == 2 && manager.receipts.count == 1)
        #expect(try writer.hear().isEmpty)
        // Others need not wait.
        #expect(try bytes(on: "x", of: broker) == [1, 2, 3])
        try giveReceipts(broker)
        #expect(try writer.hear().map(\.kind) == [.committed])
        // A clear waits, too: otherwise a crash could bring back what was cleared.
        let other = try broker.connect()
        other.queue(Clear.board("x"), stream: other.newStream())
        try broker.step(sending: other)
        try settle(broker)
        #expect(manager.saved.isEmpty)
        #expect(try other.hear().isEmpty && writer.hear().isEmpty)
        try giveReceipts(broker)
        #expect(try other.hear().map(\.kind) == [.committed, .end] && writer.hear().map(\.kind) == [.end])
    }

    @Test("Writes of promises and secrets wait for nothing")
    func others() throws {
        let writer = try broker.connect()
        try broker.publish(on: "promised", by: writer)
        var terms = ContentTerms()
        terms.isConcealed = true
        writer.queueWrite([1], to: "secret", terms)
        try broker.step(sending: writer)
        try settle(broker)
        #expect(try writer.hear().map(\.kind) == [.committed])
        #expect(manager.saved.isEmpty && manager.receipts.isEmpty)
    }

    @Test(
        "A successor serves the same bytes, and saves further ones under other names",
        .tags(.f86),
        arguments: [0, 3, 300_000]
    )
    func successor(size: Int) throws {
        let writer = try broker.connect()
        let contents = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        writer.queueWrite(Array(contents.prefix(200_000)), to: "x")
        try broker.step(sending: writer)
        try settle(broker)
        // It dies here: its descriptors are closed, and nothing more is sent.
        let before = manager.saved.count
        let successor = try Self.broker(with: manager)
        try settle(successor)
        #expect(manager.saved.count == before)
        #expect(try bytes(on: "x", of: successor) == Array(contents.prefix(200_000)))
        let other = try successor.connect()
        other.queueWrite([9], to: "y")
        try successor.step(sending: other)
        try settle(successor)
        try giveReceipts(successor)
        #expect(try other.hear().map(\.kind) == [.committed])
        let third = try Self.broker(with: manager)
        #expect(try bytes(on: "x", of: third) == Array(contents.prefix(200_000)))
        #expect(try bytes(on: "y", of: third) == [9])
        other.queue(Clear.board("x"), stream: other.newStream())
        try successor.step(sending: other)
        try settle(successor)
        #expect(try bytes(on: "y", of: Self.broker(with: manager)) == [9])
    }

    @Test(
        "Contents of which a part is missing, damaged or of another size are not restored, and are removed",
        .tags(.f84, .f86)
    )
    func damaged() throws {
        for board in ["missing", "other", "damaged"] {
            let writer = try broker.connect()
            writer.queueWrite([1, 2], to: board)
            try broker.step(sending: writer)
        }
        try settle(broker)
        let kept = manager.saved.indices.filter { manager.saved[$0].name.hasPrefix("k") }
        let described = manager.saved.indices.filter { manager.saved[$0].name.hasPrefix("p") }
        try #require(kept.count == 3 && described.count == 3)
        let other = try MemoryFile()
        try other.append([1].span)
        manager.saved[kept[1]].descriptor = other.descriptor
        let noise = try MemoryFile()
        try noise.append([255, 255, 255].span)
        try noise.seal()
        manager.saved[described[2]].descriptor = noise.descriptor
        manager.saved.remove(at: kept[0])
        let successor = try Self.broker(with: manager)
        try settle(successor)
        #expect(manager.saved.isEmpty)
        for board in ["missing", "other", "damaged"] { #expect(try bytes(on: board, of: successor).isEmpty) }
    }

    @Test("Boards that share a memory file keep their bytes when another of them is cleared", .tags(.f86))
    func shared() throws {
        let file = try MemoryFile()
        try file.append([1, 2, 3].span)
        try file.seal()
        let writer = try broker.connect(descriptors: true)
        for board in ["x", "y", "x"] {
            writer.queueWrite([1, 2, 3], to: board, as: file)
            try broker.step(sending: writer)
            try settle(broker)
            try giveReceipts(broker)
        }
        let clearer = try broker.connect()
        clearer.queue(Clear.board("x"), stream: clearer.newStream())
        try broker.step(sending: clearer)
        try settle(broker)
        try giveReceipts(broker)
        for _ in 0..<2 {
            let successor = try Self.broker(with: manager)
            #expect(try bytes(on: "y", of: successor) == [1, 2, 3] && bytes(on: "x", of: successor) == [])
            let peer = try successor.connect(descriptors: true)
            peer.queueWrite([1, 2, 3], to: "z", as: file)
            try successor.step(sending: peer)
            try settle(successor)
            peer.queue(Clear.board("z"), stream: peer.newStream())
            try giveReceipts(successor)
            try successor.step(sending: peer)
            try settle(successor)
        }
        #expect(manager.saved.count == 2)
    }

    @Test("A file that is written to another board while it leaves one is saved", .tags(.f86))
    func moved() throws {
        let file = try MemoryFile()
        try file.append([1, 2, 3].span)
        try file.seal()
        let writer = try broker.connect(descriptors: true)
        writer.queueWrite([1, 2, 3], to: "x", as: file)
        try broker.step(sending: writer)
        try settle(broker)
        try giveReceipts(broker)
        let clearer = try broker.connect()
        clearer.queue(Clear.board("x"), stream: clearer.newStream())
        writer.queueWrite([1, 2, 3], to: "y", as: file)
        try clearer.push()
        try broker.step(sending: writer)
        try settle(broker)
        try giveReceipts(broker)
        #expect(try bytes(on: "y", of: Self.broker(with: manager)) == [1, 2, 3] && manager.saved.count == 2)
    }

    @Test("A broker does not start with contents that its version cannot read, and they stay", .tags(.f86))
    func strange() throws {
        let writer = try broker.connect()
        writer.queueWrite([1, 2], to: "x")
        try broker.step(sending: writer)
        try settle(broker)
        let index = try #require(manager.saved.firstIndex { $0.name.hasPrefix("p") })
        let known = manager.saved[index].descriptor
        var contents = try SavedContents(
            decoding: try #require(MemoryFile(sealed: known)).contents(limit: 1 << 20)
        )
        contents.format = SavedContents.format + 1
        var encoded: [UInt8] = []
        contents.encode(into: &encoded)
        let other = try MemoryFile()
        try other.append(encoded.span)
        try other.seal()
        manager.saved[index].descriptor = other.descriptor
        let successor = try SteppedBroker()
        let error = #expect(throws: Failure.self) {
            let connection = try manager.connected()
            try successor.loop.beginSaving(with: connection, restoring: manager.passed, refusingOthers: true)
        }
        try settle(successor)
        #expect(error?.code == .versionMismatch && manager.saved.count == 2)
        manager.saved[index].descriptor = known
        #expect(try bytes(on: "x", of: Self.broker(with: manager)) == [1, 2])
    }

    @Test("A write is not acknowledged at the end of its connection if the service manager has no room", .tags(.f84))
    func closed() throws {
        let writer = try broker.connect()
        // Nothing is taken, so its queue fills.
        let filler = try broker.connect()
        for number in 0..<200 { filler.queueWrite([1], to: "full \(number)") }
        for _ in 0..<200 { try broker.step(sending: filler) }
        for number in 0..<200 {
            let other = try broker.connect()
            other.queueWrite([1], to: "full \(number)")
            try broker.step(sending: other)
        }
        writer.queueWrite([1], to: "x")
        writer.queue(Commit(items: 9), stream: 99)
        try broker.step(sending: writer)
        try broker.step(3)
        #expect(try writer.hear().isEmpty && writer.isEnded)
    }

    @Test("A service manager that does not answer delays each writer for two seconds, and no one else")
    func silent() throws {
        let time = SteppedTime()
        let broker = try Self.broker(with: manager, time: time)
        for number in 0..<3 {
            let writer = try broker.connect()
            writer.queueWrite([1], to: "x\(number)")
            try broker.step(sending: writer)
            time.advance(by: 1_999)
            try broker.step(2)
            #expect(try writer.hear().isEmpty)
            #expect(try bytes(on: "x\(number)", of: broker) == [1])
            time.advance(by: 1)
            try broker.step(3)
            #expect(try writer.hear().map(\.kind) == [.committed])
        }
    }

    @Test("A request of a connection waits until the answer to its last write may be sent")
    func nextRequest() throws {
        let writer = try broker.connect()
        for number in 0..<10 { writer.queueWrite([UInt8(number)], to: "x") }
        try broker.step(sending: writer)
        try settle(broker)
        #expect(manager.saved.count == 2)
        for _ in 0..<10 { try giveReceipts(broker) }
        #expect(try writer.hear().count { $0.kind == .committed } == 10)
        #expect(manager.saved.count == 2)
    }

    @Test("A service manager that has no room gets the rest when it has, in order")
    func full() throws {
        let count = 200
        var writers: [SteppedPeer] = []
        for number in 0..<count {
            let writer = try broker.connect()
            writer.queueWrite([UInt8(truncatingIfNeeded: number)], to: "x")
            // More than its queue takes, and nothing is taken meanwhile.
            try broker.step(sending: writer)
            writers.append(writer)
        }
        var told = 0
        while told < count {
            // The loop wakes by itself: a turn that waits would hang if it did not.
            try manager.take()
            manager.giveReceipts()
            try broker.loop.turn(waiting: true)
            told += try writers.reduce(0) { try $0 + $1.hear().count { $0.kind == .committed } }
        }
        // On a slow machine, writers may have stopped waiting before everything was sent.
        try eventually("the last contents at the manager") {
            try manager.take()
            try broker.step()
            return manager.saved.count == 2
        }
        #expect(try bytes(on: "x", of: Self.broker(with: manager)) == [UInt8(truncatingIfNeeded: count - 1)])
    }

    @Test("Without a service manager that still exists, a writer does not wait")
    func gone() throws {
        var manager: SavingManager? = try SavingManager()
        // Its time does not pass, so that no wait ends with it.
        let broker = try #require(try manager.map { try Self.broker(with: $0, time: SteppedTime()) })
        manager = nil
        let writer = try broker.connect()
        for number in 0..<2 {
            writer.queueWrite([1], to: "x\(number)")
            try broker.step(sending: writer)
            // A child of another test has a duplicate of the manager's socket until it executes its program.
            var frames = try writer.hear()
            try eventually("an answer to the writer") {
                if frames.isEmpty {
                    try broker.step()
                    frames = try writer.hear()
                }
                return !frames.isEmpty
            }
            #expect(frames.map(\.kind) == [.committed])
        }
    }
}

extension Clear {
    fileprivate static func board(_ name: String) -> Clear {
        var clear = Clear()
        clear.board = name
        return clear
    }
}
