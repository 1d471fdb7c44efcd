import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct WriteTests {
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

}
