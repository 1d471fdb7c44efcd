package import BrokerState
package import PasteboardTransport
import PasteboardWire

// The table of connections.
extension BrokerLoop {
    /// Takes over a connected socket.
    package mutating func adopt(_ descriptor: consuming OwnedDescriptor, of process: ProcessKey) {
        var descriptor: OwnedDescriptor? = consume descriptor
        // The state may refuse the connection. The peer can receive that only through a connection in the table.
        input(
            { $0.connected(process) },
            beforePerforming: { loop, peer in
                guard let descriptor = descriptor.take() else { return }
                loop.insert(Connection(descriptor, peer: peer, closer: loop.closer), of: process)
            }
        )
    }

    private mutating func insert(_ connection: Connection, of process: ProcessKey) {
        let peer = connection.peer
        let slot = Int(peer.slot)
        while connections.count <= slot { connections.append(nil) }
        do throws(SystemError) {
            try epoll.add(connection.descriptor.raw, .readable, token: peer.rawValue)
            connections[slot] = connection
        } catch {
            report(PeerRemoval(.refused, process: process.pid, Failure(.limitExceeded, "\(error)")))
            input { $0.disconnected(peer) }
        }
    }

    /// Not a method that borrows the loop: a borrowed value of this size is copied for each call.
    mutating func connection(_ peer: PeerID) -> Connection? {
        guard Int(peer.slot) < connections.count else { return nil }
        let connection = connections[Int(peer.slot)]
        return connection?.peer == peer ? connection : nil
    }

    /// Removes a connection. Queued output is written as far as the socket takes it.
    mutating func close(_ peer: PeerID) {
        guard let connection = connection(peer) else { return }
        connections[Int(peer.slot)] = nil
        if !connection.isWriteClosed {
            while case .refused? = try? connection.output.flush(
                to: connection.descriptor.raw,
                delivered: &deliveries
            ) {}
        }
        // Before the descriptor is closed: while a duplicate of it exists, the kernel would continue to report it, and
        // the peer would not see the end. A child of a program with its own broker has duplicates until it executes
        // its program.
        try? epoll.remove(connection.descriptor.raw)
        try? Socket.endWriting(connection.descriptor.raw)
    }

    /// Ends a connection all of whose input has been processed.
    mutating func gone(_ connection: Connection) {
        let peer = connection.peer
        close(peer)
        input { $0.disconnected(peer) }
    }
}
