import CPasteboardSystem
import Glibc

/// Calls on stream sockets of the Unix domain.
package enum Socket {
    /// Two connected sockets, neither of which waits.
    package static func pair() throws(SystemError) -> DescriptorPair {
        var ends: [CInt] = [-1, -1]
        _ = try System.call("socketpair") { pbs_socket_pair(&ends) }
        return DescriptorPair(OwnedDescriptor(adopting: ends[0]), OwnedDescriptor(adopting: ends[1]))
    }

    /// Lets the kernel hold 1 MiB in each direction: bulk transfers run about twice as fast as with the default.
    ///
    /// A hint; the system's own maximum wins, silently.
    package static func enlargeBuffers(of socket: CInt) {
        setBuffers(of: socket, bytes: 1 << 20)
    }

    /// Asks for this size in each direction; the kernel has a minimum and a maximum of its own.
    package static func setBuffers(of socket: CInt, bytes: CInt) {
        _ = pbs_set_int_option(socket, SO_SNDBUF, bytes)
        _ = pbs_set_int_option(socket, SO_RCVBUF, bytes)
    }

    /// Arranges that receiving may wait, at most so long, for ever with 0; sending never does. One call instead of two, a wait and a
    /// read, for a thread that has nothing else to watch.
    package static func letReceiveWait(_ socket: CInt, milliseconds: Int) throws(SystemError) {
        _ = try System.call("setsockopt SO_RCVTIMEO") { pbs_set_receive_timeout(socket, milliseconds) }
    }

    /// Ends the direction of writing: the peer reads what was written, and then the end.
    package static func endWriting(_ socket: CInt) throws(SystemError) {
        _ = try System.call("shutdown") { shutdown(socket, CInt(SHUT_WR)) }
    }

    /// Whether peers may pass descriptors over this socket, or over connections of this listener made from now on.
    ///
    /// - Returns: false where the kernel has no such switch (before Linux 6.16).
    @discardableResult
    package static func setPassesDescriptors(_ socket: CInt, _ passes: Bool) -> Bool {
        pbs_set_int_option(socket, CInt(PBS_SO_PASSRIGHTS), passes ? 1 : 0) == 0
    }

    /// Whether the descriptor is a listening stream socket of the Unix domain.
    static func isListening(_ descriptor: CInt) -> Bool {
        func option(_ name: CInt) -> CInt? {
            var value: CInt = 0
            return pbs_int_option(descriptor, name, &value) == 0 ? value : nil
        }
        return option(SO_DOMAIN) == AF_UNIX && option(SO_TYPE) == CInt(SOCK_STREAM.rawValue)
            && option(SO_ACCEPTCONN) == 1
    }
}
