import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct WriteTests {
    @Test("A write continues as long as items come")
    func slowItems() {
        let broker = StateHarness()
        let writer = broker.connect()
        let stream = broker.begin(from: writer)
        for _ in 0..<3 {
            broker.advance(by: 9_000)
            broker.send(Item("a"), on: stream, from: writer)
        }
        broker.commit(3, on: stream, from: writer)
        #expect(broker.take(writer).kinds == [.committed])
    }

    @Test(
        "Invalid messages are refused, and the connection stays open",
        arguments: [
            Item([Representation(String(repeating: "a", count: 513))]),
            Item([Representation("a", supertypes: ["b", "c d"])]),
            Item([Representation("public.PNG"), Representation("public.png")]),
        ]
    )
    func invalidItems(_ item: Item) {
        let broker = StateHarness()
        let peer = broker.connect()
        let stream = broker.begin(from: peer)
        broker.send(item, on: stream, from: peer)
        #expect(broker.take(peer).codes == [.invalidArgument])
        #expect(broker.held.writes == 0 && !broker.closed.contains(peer))
    }

    @Test("Each request checks the name of its board")
    func boardNames() {
        let broker = StateHarness()
        let peer = broker.connect()
        var (write, clear, list, watch) = (Write(), Clear(), List(), Watch())
        (write.board, clear.board, list.board, watch.board) = ("a/b", "a/b", "a/b", "a/b")
        for request in [write, clear, list, watch] as [any WireMessage] {
            broker.send(request, on: broker.newStream(of: peer), from: peer)
            #expect(broker.take(peer).codes == [.invalidArgument], "\(request)")
        }
        // For a load, a name that is not valid is one that no board has.
        broker.load(from: peer) { $0.board = "a/b" }
        #expect(broker.take(peer).codes.count == 1)
    }

    @Test(
        "A write beyond its share of the pool fails before its first byte if its size is announced, else as it grows"
    )
    func pool() {
        let broker = StateHarness { $0.keptPool = 100 }
        let peer = broker.connect()
        let announced = broker.begin(board: "b", from: peer)
        broker.send(Item([Representation("a", byteCount: 46, kept: true)]), on: announced, from: peer)
        #expect(broker.take(peer).codes == [.noSpace])
        let growing = broker.begin(board: "b", from: peer)
        broker.send(Item([Representation("a", kept: true)]), on: growing, from: peer)
        broker.data(count: 45, on: growing, from: peer)
        #expect(broker.take(peer).isEmpty && broker.held.keptBytes == 45)
        broker.data(count: 1, on: growing, from: peer)
        #expect(broker.take(peer).codes == [.noSpace])
        #expect(broker.held.keptBytes == 0 && broker.openMemory == 0)
        let immense = broker.begin(board: "b", from: peer)
        broker.send(Item([Representation("a", byteCount: .max, kept: true)]), on: immense, from: peer)
        #expect(broker.take(peer).codes == [.noSpace])
    }

    @Test("A write beyond the number of kept representations is refused, and releases those that it had")
    func keptRepresentations() {
        let broker = StateHarness { $0.keptRepresentations = 4 }
        let peer = broker.connect()
        let two = Item([Representation("a", kept: true), Representation("b", kept: true)])
        broker.write([two], kept: [[1], [2]], board: "b", from: peer)
        let third = broker.begin(board: "b", from: peer)
        broker.send(Item([Representation("c", kept: true)]), on: third, from: peer)
        #expect(broker.take(peer).codes.contains(.limitExceeded))
        #expect(broker.openMemory == 2)
        broker.clear("b", from: peer)
        #expect(broker.openMemory == 0)
    }

    @Test("Replaced and cleared contents return their bytes to the pool")
    func credited() {
        let broker = StateHarness { $0.keptPool = 200 }
        let peer = broker.connect()
        let item = Item([Representation("a", kept: true)])
        broker.write([item], kept: [[UInt8](repeating: 1, count: 50)], from: peer)
        broker.write([item], kept: [[UInt8](repeating: 2, count: 50)], from: peer)
        #expect(broker.held.keptBytes == 50 && broker.openMemory == 1)
        broker.clear(from: peer)
        #expect(broker.held.keptBytes == 0 && broker.openMemory == 0)
        broker.disconnect(peer)
        #expect(broker.held == .nothing)
    }

    @Test("If memory cannot be created or filled, the write fails with no-space", .tags(.f61))
    func memoryFails() {
        let broker = StateHarness()
        let peer = broker.connect()
        let stream = broker.begin(from: peer)
        broker.send(Item([Representation("a", kept: true)]), on: stream, from: peer)
        broker.data([1], on: stream, from: peer)
        broker.keptWriteFailed(KeptID(slot: 0, generation: 1))
        #expect(broker.take(peer).codes == [.noSpace])
        #expect(broker.openMemory == 0)
        broker.keptWriteFailed(KeptID(slot: 0, generation: 1))
        broker.keptWriteFailed(KeptID(slot: 9, generation: 9))
        #expect(broker.take(peer).isEmpty)
    }

    @Test("A write has at most 512 items, and its names and types at most the metadata limit", .tags(.f18))
    func limits() throws {
        let broker = StateHarness { $0.metadataPerPublication = 10_000 }
        let peer = broker.connect()
        let many = broker.begin(from: peer)
        for _ in 0..<513 { broker.send(Item("a"), on: many, from: peer) }
        let failure = try #require(broker.take(peer).first(Failure.self))
        #expect(failure.code == .limitExceeded && failure.text.contains("512"))
        let long = broker.begin(from: peer)
        let types = (0..<30).map { Representation("\($0)" + String(repeating: "x", count: 400)) }
        broker.send(Item(types), on: long, from: peer)
        let second = try #require(broker.take(peer).first(Failure.self))
        #expect(second.code == .limitExceeded && second.text.contains("10000"))
        #expect(broker.held.writes == 0 && broker.held.metadata == 0)
    }

    @Test("The names and types of a write may take exactly the metadata limit")
    func exactMetadata() {
        func write(limit: UInt64) -> (metadata: UInt64, codes: [ErrorCode]) {
            let broker = StateHarness { $0.metadataPerPublication = limit }
            let writer = broker.connect()
            broker.write([Item("a")], from: writer)
            return (broker.held.metadata, broker.take(writer).codes)
        }
        let exact = write(limit: 1_000).metadata
        #expect(write(limit: exact).codes == [] && write(limit: exact - 1).codes == [.limitExceeded])
    }

    @Test("Items of unfinished writes are charged, so that a process cannot hold many by never committing")
    func unfinishedWrites() {
        let broker = StateHarness { $0.objects = 100 }
        let hoarder = broker.connect()
        var refused = 0
        for _ in 0..<100 {
            let stream = broker.begin(from: hoarder)
            broker.send(Item("a"), on: stream, from: hoarder)
            refused += broker.take(hoarder).codes.filter { $0 == .limitExceeded }.count
        }
        #expect(refused > 50)
        #expect(broker.held.objects <= 50)
        let other = broker.connect()
        broker.promise("b", from: other)
        #expect(broker.list(from: other).kinds == [.contents, .item, .end])
        broker.disconnect(hoarder)
        broker.clear(from: other)
        broker.disconnect(other)
        #expect(broker.held == .nothing)
    }

    @Test("A new board replaces an empty one, and is refused if all boards have contents")
    func boardLimit() {
        let broker = StateHarness { $0.boards = 2 }
        let (peer, other) = (broker.connect(), broker.connect())
        broker.promise("a", board: "one", from: peer)
        broker.clear("two", from: peer)
        broker.promise("a", board: "three", from: other)
        let third = broker.connect()
        broker.write([Item("a")], board: "four", from: third)
        #expect(broker.take(third).codes == [.limitExceeded])
        #expect(broker.held.publications == 2 && broker.held.writes == 0)
    }

    @Test("Terms, an addition and the epoch of a condition require their features")
    func features() {
        let broker = StateHarness()
        let peer = broker.connect()
        var (terms, addition, condition, clear) = (Write(), Write(), Write(), Clear())
        terms.terms = ContentTerms(transient: true)
        addition.handle = 1
        (condition.ifChangeCount, condition.ifEpoch) = (5_000, 77)
        condition.requires = [Feature.condition.rawValue]
        (clear.ifChangeCount, clear.ifEpoch, clear.requires) = (5_000, 77, condition.requires)
        for request in [terms, addition, condition, clear] as [any WireMessage] {
            broker.send(request, on: broker.newStream(of: peer), from: peer)
        }
        #expect(broker.take(peer).codes == [ErrorCode](repeating: .invalidArgument, count: 4))
        #expect(broker.held.writes == 0 && broker.closed.isEmpty)
    }

    @Test("The name of a file that is too long is malformed")
    func fileName() {
        let broker = StateHarness()
        let peer = broker.connect()
        var representation = Representation("a")
        representation.file = FileAttributes()
        representation.file?.name = [UInt8](repeating: 97, count: 256)
        broker.write([Item([representation])], from: peer)
        #expect(broker.take(peer).codes == [.limitExceeded])
    }
}
