import BrokerModel
import BrokerState
import PasteboardWire
import Testing

extension Outbox {
    /// Every frame, in order, with the send that contains it.
    var eachFrame: [(send: Send, header: FrameHeader, payload: [UInt8])] {
        sends.indices.filter { sends[$0].peer != .none }.flatMap { index in
            let found = frames(ofSend: index)
            #expect(found.isComplete, "the broker sent an incomplete frame")
            return found.all.map { (sends[index], $0.header, $0.payload) }
        }
    }
}
