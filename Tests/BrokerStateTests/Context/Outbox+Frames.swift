import PasteboardWire
import Testing

@testable import BrokerState

extension Outbox {
    /// Every frame, in order, with the send that contains it.
    var eachFrame: [(send: Send, header: FrameHeader, payload: [UInt8])] {
        sends.flatMap { send in
            var found: [(send: Send, header: FrameHeader, payload: [UInt8])] = []
            var start = send.bytes.lowerBound
            while start < send.bytes.upperBound {
                guard let header = FrameHeader(frames.bytes.span, at: start) else { break }
                let end = start + FrameHeader.byteCount + Int(header.length)
                guard end <= send.bytes.upperBound else { break }
                found.append((send, header, Array(frames.bytes[start + FrameHeader.byteCount..<end])))
                start = end
            }
            #expect(start == send.bytes.upperBound, "the broker sent an incomplete frame")
            return found
        }
    }
}
