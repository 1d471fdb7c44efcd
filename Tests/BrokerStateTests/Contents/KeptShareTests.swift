import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The part of the limits on kept contents that one process may take, and the part that it has to leave to others.
@Suite(.pure) struct KeptShareTests {
    private static func kept(_ count: UInt64) -> Item {
        Item([Representation("a", byteCount: count, kept: true)])
    }

    @Test("One process leaves half of the kept pool to others, whether it writes once or many times")
    func bytes() {
        for chunk in [890, 100, 7] as [UInt64] {
            let broker = StateHarness { $0.keptPool = 2_000 }
            let greedy = broker.connect()
            for number in 0..<200 {
                let bytes = [UInt8](repeating: 1, count: Int(chunk))
                broker.write([Self.kept(chunk)], kept: [bytes], board: "b\(number)", from: greedy)
            }
            #expect(broker.take(greedy).codes.allSatisfy { $0 == .noSpace })
            #expect((790...890).contains(broker.held.keptBytes))
            let other = broker.connect()
            broker.write([Self.kept(100)], kept: [[UInt8](repeating: 2, count: 100)], from: other)
            #expect(broker.take(other).kinds == [.committed])
        }
    }

    @Test("Kept bytes of a process that has ended still count for it, and a new process may take a part of the rest")
    func leftBehind() {
        let broker = StateHarness { $0.keptPool = 2_000 }
        let first = broker.connect(process: 7)
        broker.write([Self.kept(800)], kept: [[UInt8](repeating: 1, count: 800)], board: "one", from: first)
        broker.disconnect(first)
        let again = broker.connect(process: 7)
        _ = broker.write([Self.kept(170)], board: "two", from: again)
        #expect(broker.take(again).codes == [.noSpace])
        let second = broker.connect(process: 8)
        broker.write([Self.kept(170)], kept: [[UInt8](repeating: 2, count: 170)], board: "two", from: second)
        #expect(broker.take(second).kinds == [.committed])
        broker.clear("one", from: second)
        #expect(broker.held.keptBytes == 170)
        broker.clear("two", from: second)
        for peer in [again, second] { broker.disconnect(peer) }
        #expect(broker.held == .nothing)
    }

    @Test("The free room that welcome announces is the room that the client may use")
    func told() throws {
        let broker = StateHarness { $0.keptPool = 999 }
        for _ in 0..<6 {
            let peer = broker.connectSilently()
            broker.send(Hello(), on: 0, from: peer)
            let free = try #require(broker.take(peer).first(Welcome.self)?.keptFree)
            let stream = broker.begin(board: "\(peer)", from: peer)
            broker.send(Self.kept(free + 1), on: stream, from: peer)
            #expect(broker.take(peer).codes == [.noSpace])
            broker.write(
                [Self.kept(free)],
                kept: [[UInt8](repeating: 1, count: Int(free))],
                board: "\(peer)",
                from: peer
            )
            #expect(broker.take(peer).kinds == [.committed])
        }
        #expect(broker.held.keptBytes > 750 && broker.held.keptBytes <= 999)
    }

    @Test("Kept bytes of a cached load are charged to the source, not to the destination")
    func fills() throws {
        let broker = StateHarness { $0.keptPool = 2_000 }
        let (source, reader) = (broker.connect(), broker.connect())
        broker.promiseOnce(byteCount: 800, from: source)
        broker.load(from: reader)
        let ask = try #require(broker.takeAsks(source).first)
        broker.data(count: 800, last: true, on: ask, from: source)
        _ = broker.write([Self.kept(150)], board: "b", from: source)
        #expect(broker.take(source).codes == [.noSpace])
        broker.write([Self.kept(150)], kept: [[UInt8](repeating: 1, count: 150)], board: "b", from: reader)
        #expect(broker.take(reader).kinds.last == .committed)
    }

    @Test("One process leaves some of the kept representations and boards to others", .tags(.f46))
    func representationsAndBoards() {
        let broker = StateHarness {
            $0.keptRepresentations = 80
            $0.boards = 80
        }
        let greedy = broker.connect()
        for number in 0..<100 {
            broker.write([Self.kept(0)], kept: [[]], board: "kept\(number)", from: greedy)
        }
        #expect(broker.take(greedy).codes.count == 69 && broker.openMemory == 31)
        #expect(broker.held.publications == 31)
        for number in 0..<100 { broker.clear("kept\(number)", from: greedy) }
        _ = broker.take(greedy)
        for number in 0..<100 { broker.promise("a", board: "b\(number)", from: greedy) }
        #expect(broker.held.publications == 31)
        // The process may still write to its own boards.
        broker.promise("a", board: "b3", from: greedy)
        #expect(broker.take(greedy).codes.isEmpty)
        let other = broker.connect()
        broker.write([Self.kept(0)], kept: [[]], board: "other", from: other)
        #expect(broker.take(other).kinds == [.committed])
        // Replacing another process's contents needs no additional board.
        broker.promise("a", board: "other", from: greedy)
        #expect(broker.list("other", from: other).first(Item.self)?.representations.map(\.type) == ["a"])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A write that makes no progress for 10 s is refused, and its reserved room is released")
    func standingWrite() {
        let broker = StateHarness { $0.keptPool = 2_000 }
        let writer = broker.connect()
        let stream = broker.begin(from: writer)
        broker.send(Self.kept(800), on: stream, from: writer)
        // A frame without bytes is progress, too: a source that needs time for the next bytes sends one.
        for byte in [[1], [], [1], [], [1]] as [[UInt8]] {
            broker.advance(by: 9_000)
            broker.data(byte, on: stream, from: writer)
        }
        #expect(broker.take(writer).isEmpty && broker.held.keptBytes == 800)
        broker.advance(by: 10_000)
        #expect(broker.take(writer).codes == [.timeout])
        #expect(broker.held.keptBytes == 0 && broker.held.writes == 0)
        broker.commit(1, on: stream, from: writer)
        #expect(broker.take(writer).isEmpty && broker.closed.isEmpty)
    }

    @Test("A write without any items is refused after 10 s too, but not a committed one")
    func begunWrite() {
        let broker = StateHarness()
        let writer = broker.connect()
        let begun = broker.begin(from: writer)
        let stream = broker.write([Self.kept(1)], kept: [[1]], from: writer)
        broker.advance(by: 10_000)
        broker.advance(by: 3_600_000)
        let frames = broker.take(writer)
        #expect(frames.on(begun).codes == [.timeout] && frames.on(stream).kinds == [.committed])
    }
}
