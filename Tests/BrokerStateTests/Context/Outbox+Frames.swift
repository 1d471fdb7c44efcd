import PasteboardWire
import Testing

@testable import BrokerState

extension Outbox {
    /// Every frame, in order, with the send that contains it.
    var eachFrame: [(send: Send, header: FrameHeader, payload: [UInt8])] {
        sends.indices.filter { sends[$0].peer != .none }.flatMap { index in
            var found: [(send: Send, header: FrameHeader, payload: [UInt8])] = []
            let bytes = bytes(ofSend: index)
            var start = bytes.lowerBound
            while start < bytes.upperBound {
                guard let header = FrameHeader(frames.bytes.span, at: start) else { break }
                let end = start + FrameHeader.byteCount + Int(header.length)
                guard end <= bytes.upperBound else { break }
                found.append((sends[index], header, Array(frames.bytes[start + FrameHeader.byteCount..<end])))
                start = end
            }
            #expect(start == bytes.upperBound, "the broker sent an incomplete frame")
            return found
        }
    }
}
