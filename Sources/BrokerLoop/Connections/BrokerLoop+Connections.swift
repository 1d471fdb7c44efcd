package import BrokerState
package import PasteboardTransport
import PasteboardWire

// The table of connections.
extension BrokerLoop {
    /// An estimate of what a connection takes in all tables, in bytes. With it, memory is given back to the system
    /// after many connections have ended.
    private static let connectionMemory = 4 << 10

    /// Takes over a connected socket.
    package mutating func adopt(_ descriptor: consuming OwnedDescriptor, of process: ProcessKey) {
        var descriptor: OwnedDescriptor? = consume descriptor
        updateRoom()
        // The state may refuse the connection. The peer can receive that only through a connection in the table.
        input(
            { $0.connected(process) },
            beforePerforming: { loop, peer in
                guard let descriptor = descriptor.take() else { return }
                let account = loop.state.account(of: peer)
                loop.insert(
                    Connection(descriptor, peer: peer, of: process.pid, account: account, closer: loop.closer)
                )
            }
        )
    }

    private mutating func insert(_ connection: consuming Connection) {
        let (peer, process) = (connection.peer, connection.process)
        do throws(SystemError) {
            try epoll.add(connection.descriptor.raw, .readable, token: peer.rawValue)
            readingQueue.connected(of: connection.account)
            readingQueue.charge(Cost.connection, to: connection.account)
            connections.insert(connection, at: ConnectionID(peer))
            changeHeldBytes(from: 0, to: Self.connectionMemory)
        } catch {
            let failure = Failure(.limitExceeded, "the broker cannot watch another connection: \(error)")
            report(PeerRemoval(.refused, process: process, failure))
            // The connection is not in the table, so no output of the state reaches it.
            try? System.write(ListenerSource.encode(failure).span, to: connection.descriptor.raw)
            input { $0.failed(peer, failure) }
        }
    }

    // Not a method that borrows the loop: a borrowed value of this size is copied for each call.
    @inline(__always)
    mutating func find(_ peer: PeerID) -> ConnectionSlot? {
        connections.find(ConnectionID(peer))
    }

    /// Removes a connection. Queued output is written as far as the socket takes it.
    ///
    /// - Parameter sendsStreams: whether that includes stream frames that are still to begin.
    mutating func close(_ peer: PeerID, sendsStreams: Bool = true) {
        guard var connection = connections.remove(ConnectionID(peer)) else { return }
        if !sendsStreams { connection.output.dropStreamFrames() }
        readingQueue.disconnected(of: connection.account)
        let descriptor = connection.descriptor.raw
        if !connection.isWriteClosed {
            while case .refused? = try? connection.output.flush(to: descriptor, delivered: &deliveries) {}
        }
        // The descriptor is removed before it is closed: while a duplicate exists, the kernel would continue to report
        // it, and the peer would not see the end. A child of a program with its own broker has duplicates until it
        // executes its program.
        try? epoll.remove(descriptor)
        try? Socket.endWriting(descriptor)
        let count = connection.heldInput + connection.heldOutput + Self.connectionMemory
        connection.wipeInput()
        // Frees the buffers.
        _ = consume connection
        changeHeldBytes(from: count, to: 0)
    }

    /// Ends a connection all of whose input has been processed.
    mutating func gone(_ peer: PeerID) {
        close(peer)
        // Bytes that the socket has taken count, although the peer is gone.
        reportDeliveries()
        input { $0.disconnected(peer) }
    }
}

typealias ConnectionID = SlotTable<Connection>.ID
typealias ConnectionSlot = SlotTable<Connection>.Slot

extension ConnectionID {
    init(_ peer: PeerID) {
        self.init(slot: peer.slot, generation: peer.generation)
    }
}
