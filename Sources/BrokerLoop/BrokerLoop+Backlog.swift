import BrokerState
import PasteboardTransport
import PasteboardWire

// The bytes of control frames and requests that are held for a peer. They are reported to the state, which charges them
// to the peer's process, after each read and write while there are any, and once more when none are left. Bytes of
// loads are charged elsewhere.
extension BrokerLoop {
    /// Reports input that is held after a read. Long answers are written first: bytes that the peer takes at once do
    /// not count, and answers to other peers in the same turn are not added to them.
    mutating func weighInput(of connection: Connection) {
        let peer = connection.peer
        guard self.connection(peer) != nil else { return }
        if !connection.mayAsk {
            flush(connection)
            weighOutput(of: connection)
        }
        let count = connection.carry.count
        guard count > 0 || connection.report.hasPartial else { return }
        connection.report.hasPartial = count > 0
        input { $0.partial(count, of: peer) }
    }

    /// Reports output that is held after a write. Requests that wait until the peer has read count as output.
    mutating func weighOutput(of connection: Connection) {
        let count = connection.output.controlCount + connection.rest.bytes.count
        guard count > 0 || connection.report.hasUnread else { return }
        let position = connection.output.controlPosition
        let hasRead = position != connection.report.position
        let isHeldUp = !connection.mayAsk
        let peer = connection.peer
        connection.report.hasUnread = count > 0
        connection.report.position = position
        input { $0.unread(count, of: peer, isHeldUp: isHeldUp, hasRead: hasRead) }
    }
}
