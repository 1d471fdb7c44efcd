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
}
