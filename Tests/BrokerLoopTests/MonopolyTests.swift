import BrokerLoop
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A connection with expensive requests, and the service that it and other connections get.
@Suite(.pure) struct MonopolyTests {
    private let broker: SteppedBroker
    private let source: SteppedPeer
    private let other: SteppedPeer

    init() throws {
        broker = try SteppedBroker()
        source = try broker.connect()
        other = try broker.connect()
        // More than twice the amount that may wait to be read.
        try broker.publish(on: "large", size: 48_000, items: 3, by: source)
    }

    @Test(
        "Twenty thousand lists of one connection do not delay other connections, whether it reads or not",
        .tags(.f42),
        arguments: [true, false]
    )
    func manyLists(reads: Bool) throws {
        let greedy = try broker.connect()
        let stop = try StopSource()
        try broker.loop.add(stop)
        greedy.queueLists(of: "large", count: 20_000)
        var answers = 0
        for _ in 0..<10 {
            try broker.step(sending: greedy)
            #expect(try broker.provision(on: "large", for: other) == .promised)
            if reads { answers += try greedy.hear().count { $0.kind == .contents } }
        }
        // Each turn answers at most one list. In addition to these ten, turns are taken for the answers to the other
        // peer.
        #expect(answers <= 40)
        stop.signal()
        try broker.step(2)
        let isDraining = broker.loop.isDraining
        #expect(isDraining)
    }

    @Test("A turn answers a bounded number of requests whose answers are short")
    func shortAnswers() throws {
        let greedy = try broker.connect()
        let streams = greedy.queueLists(of: "empty", count: 2_000)
        try greedy.push()
        try #require(greedy.unsent == 0)
        var ends: [UInt64] = []
        while ends.count < streams.count {
            try broker.step()
            let new = try greedy.hear().filter { $0.kind == .end }.map(\.stream)
            // A visit has 2,500 units, and a request costs at least 15.
            try #require((1...2_500 / 15).contains(new.count))
            ends += new
        }
        #expect(ends == streams)
    }

    @Test("Requests of a peer that reads are answered in order, however its input was divided into reads", .tags(.f08))
    func order() throws {
        try broker.publish(on: "small", size: 2_000, by: source)
        let greedy = try broker.connect()
        var expected: [UInt64] = []
        let bytes = [UInt8](repeating: 7, count: 9_999)
        for _ in 0..<10 {
            expected += greedy.queueLists(of: "large", count: 3)
            expected += greedy.queueLists(of: "small", count: 100)
            expected.append(greedy.queueWrite(bytes, to: "kept"))
        }
        var heard: [ScriptedPeer.Frame] = []
        var idleTurns = 0
        while greedy.unsent > 0 || idleTurns < 3 {
            try broker.step(sending: greedy)
            let new = try greedy.hear()
            heard += new
            idleTurns = new.isEmpty ? idleTurns + 1 : 0
        }
        // A write that is replaced by the next one ends some time later.
        let writes = Set(heard.filter { $0.kind == .committed }.map(\.stream))
        let answered = heard.filter { writes.contains($0.stream) ? $0.kind == .committed : $0.kind == .end }
        #expect(answered.map(\.stream) == expected)
        #expect(writes.count == 10)
        let chunks = try broker.answer(Load("kept"), to: other).filter { $0.kind == .data }
        #expect(Array(chunks.map(\.payload).joined()) == bytes)
    }

    @Test("Only a bounded amount is read from a peer that does not read, and its promises end with it")
    func held() throws {
        let greedy = try broker.connect()
        try broker.publish(on: "greedy", by: greedy)
        greedy.queueLists(of: "large", count: 100_000)
        for _ in 0..<20 { try broker.step(sending: greedy) }
        let unsent = greedy.unsent
        #expect(unsent > 0)
        for _ in 0..<20 { try broker.step(sending: greedy) }
        #expect(greedy.unsent == unsent)
        #expect(try broker.provision(on: "greedy", for: other) == .promised)
        greedy.close()
        // Lists whose answers cannot be read are skipped, a bounded number in each turn.
        var turns = 0
        while try broker.provision(on: "greedy", for: other) == .promised, turns < 1_000 { turns += 1 }
        #expect(try broker.provision(on: "greedy", for: other) == .gone)
    }

    @Test("Input that a held source sent before its death is processed: the last bytes of an answer, and a write")
    func lastWords() throws {
        let dying = try broker.connect()
        try broker.publish(on: "dying", by: dying)
        let load = other.newStream()
        other.queue(Load("dying"), stream: load)
        try broker.step(sending: other)
        try broker.step()
        let ask = try #require(try dying.hear().last { $0.kind == .ask }).stream
        dying.queueData([1, 2, 3], stream: ask, last: false)
        dying.queueLists(of: "large", count: 1_000)
        dying.queueData([4, 5], stream: ask, last: true)
        dying.queueWrite([6, 7], to: "testament")
        try dying.push()
        try #require(dying.unsent == 0)
        try broker.step(10)
        #expect(try Self.data(other.hear()) == [1, 2, 3])
        dying.close()
        try broker.step(20)
        let heard = try other.hear()
        #expect(Self.data(heard) == [4, 5])
        #expect(heard.last?.header.flags.contains(.last) == true)
        #expect(try broker.provision(on: "dying", for: other) == .gone)
        #expect(try broker.provision(on: "testament", for: other) == .kept)
    }

    @Test("A source that does not read is still read, as long as it makes no more requests")
    func unreadSource() throws {
        // The socket of the source holds few bytes, so the answer to its list waits in the broker.
        let slow = try broker.connect(buffer: 4_096)
        try broker.publish(on: "slow", by: slow)
        other.queue(Load("slow"), stream: other.newStream())
        try broker.step(sending: other)
        try broker.step()
        let ask = try #require(try slow.hear().last { $0.kind == .ask }).stream
        slow.queueLists(of: "large", count: 1)
        try broker.step(sending: slow)
        // More frames than one turn processes.
        for number in 0..<5_000 { slow.queueData([UInt8(truncatingIfNeeded: number)], stream: ask, last: false) }
        slow.queueLists(of: "large", count: 1)
        slow.queueData([3], stream: ask, last: true)
        try slow.push()
        try #require(slow.unsent == 0)
        try broker.step(5)
        #expect(try Self.data(other.hear()) == (0..<5_000).map { UInt8(truncatingIfNeeded: $0) })
        // Input after the source's next list waits until the source has read.
        for _ in 0..<1_000 {
            _ = try slow.hear()
            try broker.step()
        }
        #expect(try Self.data(other.hear()) == [3])
    }

    @Test("A source that does not read its asks is ended, and answers to its own requests do not count")
    func overfullSource() throws {
        let broker = try SteppedBroker(limits: ["control-queue=16KiB"])
        let (slow, other) = (try broker.connect(buffer: 4_096), try broker.connect())
        try broker.publish(on: "slow", size: 48_000, by: slow)
        slow.queueLists(of: "slow", count: 2)
        try broker.step(sending: slow)
        #expect(try broker.provision(on: "slow", for: other) == .promised)
        for _ in 0..<1_000 {
            let load = other.newStream()
            other.queue(Load("slow"), stream: load)
            other.queue(Cancel(), stream: load)
        }
        for _ in 0..<20 { try broker.step(sending: other) }
        #expect(try broker.provision(on: "slow", for: other) == .gone)
    }

    @Test("Descriptors are matched with their own frames, even if the frames had to wait")
    func descriptors() throws {
        let passer = try broker.connect(descriptors: true)
        for number in 0..<20 {
            passer.queueLists(of: "large", count: 2)
            let bytes = [UInt8](repeating: UInt8(number), count: 100 + number)
            let file = try MemoryFile()
            try file.append(bytes.span)
            try file.seal()
            passer.queueWrite(bytes, to: "passed\(number)", as: file)
        }
        var heard: [ScriptedPeer.Frame] = []
        var idleTurns = 0
        while passer.unsent > 0 || idleTurns < 3 {
            try broker.step(sending: passer)
            let new = try passer.hear()
            heard += new
            idleTurns = new.isEmpty ? idleTurns + 1 : 0
        }
        #expect(heard.count { $0.kind == .contents } == 40)
        #expect(heard.count { $0.kind == .committed } == 20)
        for number in 0..<20 {
            let frames = try broker.answer(Load("passed\(number)"), to: other)
            #expect(Self.data(frames) == [UInt8](repeating: UInt8(number), count: 100 + number))
        }
    }

    @Test("A broker that is stopped does not wait for a held peer")
    func draining() throws {
        let greedy = try broker.connect()
        greedy.queueLists(of: "large", count: 1_000)
        for _ in 0..<10 { try broker.step(sending: greedy) }
        let stop = try StopSource()
        try broker.loop.add(stop)
        stop.signal()
        try broker.loop.run()
    }

    private static func data(_ frames: [ScriptedPeer.Frame]) -> [UInt8] {
        Array(frames.filter { $0.kind == .data }.map(\.payload).joined())
    }
}
