import BrokerState
import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerLoop

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
        try manager.handleMessages()
    }

    private func bytes(on board: String, of broker: SteppedBroker) throws -> [UInt8] {
        try broker.answer(Load(board), to: broker.connect()).filter { $0.kind == .data }.flatMap(\.payload)
    }

    /// The bytes that the next broker would serve if this one died now.
    private func survivingBytes(on board: String) throws -> [UInt8] {
        try bytes(on: board, of: Self.broker(with: manager.afterCrash()))
    }

    @Test("A write is acknowledged when the service manager has been sent its bytes", .tags(.f84))
    func held() throws {
        let broker = try Self.broker(with: manager, time: SteppedTime())
        let fill = try fill(broker)
        let writer = try broker.connect()
        writer.queueWrite([1, 2, 3], to: "x")
        try broker.step(sending: writer)
        try broker.step(3)
        #expect(try writer.hear().isEmpty)
        // Others need not wait.
        #expect(try bytes(on: "x", of: broker) == [1, 2, 3])
        // A clear waits for nobody, and its contents do not come back, although the manager takes nothing.
        let other = try broker.connect()
        other.queue(Clear.board("full"), stream: other.newStream())
        try broker.step(sending: other)
        #expect(try other.hear().map(\.kind) == [.committed, .end])
        #expect(try survivingBytes(on: "full").isEmpty)
        for _ in 0..<2 { try settle(broker) }
        #expect(try writer.hear().map(\.kind) == [.committed])
        #expect(try survivingBytes(on: "x") == [1, 2, 3])
        withExtendedLifetime(fill) {}
    }

    /// Writes until the queue of the manager is full.
    private func fill(_ broker: SteppedBroker) throws -> [SteppedPeer] {
        var writers: [SteppedPeer] = []
        repeat {
            let writer = try broker.connect()
            writer.queueWrite([1], to: "full")
            try broker.step(sending: writer)
            try broker.step()
            writers.append(writer)
        } while try !writers[writers.count - 1].hear().isEmpty
        return writers
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
        #expect(manager.names.isEmpty)
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
        let kept = manager.saved.indices.filter {
            manager.saved[$0].name.hasPrefix("k") && manager.saved[$0].name != SavedIndex.name
        }
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
        #expect(manager.names.isEmpty)
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
        }
        let clearer = try broker.connect()
        clearer.queue(Clear.board("x"), stream: clearer.newStream())
        try broker.step(sending: clearer)
        try settle(broker)
        for _ in 0..<2 {
            let successor = try Self.broker(with: manager)
            #expect(try bytes(on: "y", of: successor) == [1, 2, 3] && bytes(on: "x", of: successor) == [])
            let peer = try successor.connect(descriptors: true)
            peer.queueWrite([1, 2, 3], to: "z", as: file)
            try successor.step(sending: peer)
            try settle(successor)
            peer.queue(Clear.board("z"), stream: peer.newStream())
            try successor.step(sending: peer)
            try settle(successor)
        }
        #expect(manager.names.count == 2)
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
        let clearer = try broker.connect()
        clearer.queue(Clear.board("x"), stream: clearer.newStream())
        writer.queueWrite([1, 2, 3], to: "y", as: file)
        try clearer.push()
        try broker.step(sending: writer)
        try settle(broker)
        #expect(try bytes(on: "y", of: Self.broker(with: manager)) == [1, 2, 3] && manager.names.count == 2)
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
        let encoded = contents.encoded
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
        #expect(error?.code == .versionMismatch && manager.names.count == 2)
        manager.saved[index].descriptor = known
        #expect(try bytes(on: "x", of: Self.broker(with: manager)) == [1, 2])
    }

    @Test("A write is not acknowledged at the end of its connection if the service manager has no room", .tags(.f84))
    func closed() throws {
        let fill = try fill(broker)
        let writer = try broker.connect()
        writer.queueWrite([1], to: "x")
        writer.queue(Commit(items: 9), stream: 99)
        try broker.step(sending: writer)
        try broker.step(3)
        #expect(try writer.hear().isEmpty && writer.isEnded)
        withExtendedLifetime(fill) {}
    }

    @Test(
        "If the service manager takes nothing, one write waits, later ones say so, and nothing older comes back",
        .tags(.f84)
    )
    func behind() throws {
        let time = SteppedTime()
        let broker = try Self.broker(with: manager, time: time)
        func write(_ byte: UInt8, to board: String) throws -> SteppedPeer {
            let writer = try broker.connect()
            writer.queueWrite([byte], to: board)
            try broker.step(sending: writer)
            try broker.step(2)
            return writer
        }
        func answer(to writer: SteppedPeer) throws -> Committed? {
            try writer.hear().first.map { try $0.decoded(as: Committed.self) }
        }
        for board in ["x", "y"] {
            #expect(try answer(to: write(1, to: board))?.isUnsaved == false)
            try settle(broker)
        }
        let fill = try fill(broker)
        let waiting = try write(2, to: "x")
        time.advance(by: 1_999)
        try broker.step(2)
        #expect(try waiting.hear().isEmpty)
        #expect(try survivingBytes(on: "x") == [1])
        time.advance(by: 1)
        try broker.step(3)
        #expect(try answer(to: waiting)?.isUnsaved == true)
        #expect(try answer(to: write(2, to: "y"))?.isUnsaved == true)
        #expect(try survivingBytes(on: "x").isEmpty && survivingBytes(on: "y").isEmpty)
        for _ in 0..<3 { try settle(broker) }
        #expect(try survivingBytes(on: "x") == [2] && survivingBytes(on: "y") == [2])
        #expect(try answer(to: write(3, to: "y"))?.isUnsaved == false)
        withExtendedLifetime(fill) {}
    }

    @Test("A request of a connection waits until the answer to its last write may be sent")
    func nextRequest() throws {
        let writer = try broker.connect()
        for number in 0..<10 { writer.queueWrite([UInt8(number)], to: "x") }
        try broker.step(sending: writer)
        var count = 0
        for _ in 0..<10 where count < 10 {
            try settle(broker)
            count += try writer.hear().count { $0.kind == .committed }
        }
        #expect(count == 10 && manager.names.count == 2)
    }

    @Test("A service manager that has no room gets the rest when it has")
    func full() throws {
        let writers = try fill(broker)
        // The loop wakes by itself: a turn that waits would hang if it did not.
        try manager.handleMessages()
        try broker.loop.turn(waiting: true)
        try settle(broker)
        #expect(try writers[writers.count - 1].hear().map(\.kind) == [.committed])
        #expect(try survivingBytes(on: "full") == [1] && manager.names.count == 2)
    }

    @Test("A broker that was taken over does not change what its successor has saved", .tags(.f90))
    func takenOver() throws {
        let time = SteppedTime()
        let broker = try Self.broker(with: manager, time: time)
        let writer = try broker.connect()
        var terms = ContentTerms()
        terms.expiresMilliseconds = 3_600_000
        writer.queueWrite([1], to: "x", terms)
        try broker.step(sending: writer)
        try settle(broker)
        broker.loop.beginTakeover()
        try settle(broker)
        let successor = try Self.broker(with: manager)
        try settle(successor)
        // For the first one, the contents have expired.
        time.advance(by: 7_200_000)
        try settle(broker)
        #expect(try survivingBytes(on: "x") == [1])
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
