import BrokerState
import PasteboardTransport
import PasteboardWire

// The frames of all peers in the log, if the environment variable `PASTEBOARD_DEBUG` is `frames`. A line begins with
// the process and the number of its connection: `812.3 -> load #3 …`.
extension BrokerLoop {
    /// Logs a frame that a peer has sent. Its bytes of contents are not needed.
    @inline(never)
    mutating func logReceived(_ header: FrameHeader, _ payload: Span<UInt8>, from peer: PeerID) {
        logFrame(.toBroker, FrameDescription(header, payload: payload).text, of: peer)
    }

    /// Logs frames that were queued for a peer, or are sent to it from other memory. The last may be incomplete, if it
    /// is one of contents.
    @inline(never)
    mutating func logSent(_ frames: Span<UInt8>, to peer: PeerID) {
        var reader = FrameReader()
        var offset = 0
        while let frame = try? reader.next(in: frames, at: &offset) {
            logFrame(.fromBroker, frame.text, of: peer)
        }
    }

    @inline(never)
    mutating func logSent(_ header: FrameHeader, to peer: PeerID) {
        logFrame(.fromBroker, FrameDescription(header, payload: Span()).text, of: peer)
    }

    /// Logs bytes of a peer that are no frame, or break a rule.
    @inline(never)
    mutating func logViolation(_ failure: Failure, by peer: PeerID) {
        logFrame(.toBroker, "not accepted: \(failure.text.visible)", of: peer)
    }

    private mutating func logFrame(_ direction: FrameLine.Direction, _ text: String, of peer: PeerID) {
        // The state no longer has a peer that it has ended, whose last frames are sent after that.
        let process = find(peer).map { "\(connections[$0].process)" } ?? "?"
        log(FrameLine(peer: "\(process).\(peer.slot)", direction, text).text)
    }
}
