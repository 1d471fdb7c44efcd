import BrokerState
import PasteboardTransport
import PasteboardWire

// What is held of control frames and of requests is told to the state, which charges it to its process: after reading and
// after writing, and only where there is any or was. Bytes of loads are not counted here.
extension BrokerLoop {
    /// After reading from a connection. Answers that are long are written at once: what the peer takes of them does not
    /// count, and others' answers in the same turn do not come on top.
    mutating func weighInput(of connection: Connection) {
        guard self.connection(connection.peer) != nil else { return }
        if !connection.mayAsk {
            self.flush(connection)
            self.weighOutput(of: connection)
        }
        guard !connection.carry.isEmpty || connection.hasPartial else { return }
        connection.hasPartial = !connection.carry.isEmpty
        self.state.partial(connection.carry.count, of: connection.peer)
        self.perform()
    }

    /// After writing to a connection. Requests that wait until the peer reads count with what it has to read.
    mutating func weighOutput(of connection: Connection) {
        let waiting = connection.output.controlCount
        let count = waiting + connection.rest.bytes.count
        guard count > 0 || connection.hasUnread else { return }
        connection.hasUnread = count > 0
        let position = connection.output.controlPosition
        self.state.unread(
            count,
            of: connection.peer,
            isHeldUp: !connection.mayAsk,
            hasRead: position != connection.readPosition
        )
        connection.readPosition = position
        self.perform()
    }
}
