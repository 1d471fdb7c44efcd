import BrokerState
import PasteboardTransport
import PasteboardWire

// The bytes of control frames and requests that are held for a peer. They are reported to the state, which charges them
// to the peer's process, after each read and write while there are any, and once more when none are left. Bytes of
// loads are charged elsewhere.
extension BrokerLoop {
    /// Reports input that is held after a read. Long answers are written first: bytes that the peer takes at once do
    /// not count, and answers to other peers in the same turn are not added to them.
    mutating func weighInput(of peer: PeerID) {
        if let slot = find(peer), !connections[slot].mayBeAnswered {
            flush(peer)
            weighOutput(of: peer)
        }
        guard let slot = find(peer) else { return }
        let count = connections[slot].carry.count
        guard count > 0 || connections[slot].report.hasPartial else { return }
        connections[slot].report.hasPartial = count > 0
        changeHeldBytes(from: connections[slot].heldInput, to: count)
        connections[slot].heldInput = count
        input { $0.partial(count, of: peer) }
    }

    /// Reports output that is held after a write. Requests that wait until the peer has read count as output.
    mutating func weighOutput(of peer: PeerID) {
        guard let slot = find(peer) else { return }
        let (control, stream) = connections[slot].output.counts
        let count = control + connections[slot].rest.bytes.count
        if count + stream != connections[slot].heldOutput {
            changeHeldBytes(from: connections[slot].heldOutput, to: count + stream)
            connections[slot].heldOutput = count + stream
        }
        guard count > 0 || connections[slot].report.hasUnread else { return }
        let position = connections[slot].output.controlPosition
        let hasRead = position != connections[slot].report.position
        let isHeldUp = !connections[slot].mayBeAnswered
        connections[slot].report.hasUnread = count > 0
        connections[slot].report.position = position
        input { $0.unread(count, of: peer, isHeldUp: isHeldUp, hasRead: hasRead) }
    }

    mutating func changeHeldBytes(from before: Int, to count: Int) {
        if heldBytes.change(from: before, to: count, at: clock.now) { System.trimMemory() }
    }
}
