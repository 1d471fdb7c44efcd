import CPasteboardSystem
import Glibc

/// Calls for stream sockets of the Unix domain.
package enum Socket {
    /// Two connected non-blocking sockets.
    package static func pair() throws(SystemError) -> DescriptorPair {
        var ends: [CInt] = [-1, -1]
        _ = try System.call("socketpair") { pbs_socket_pair(&ends) }
        return DescriptorPair(OwnedDescriptor(adopting: ends[0]), OwnedDescriptor(adopting: ends[1]))
    }

    /// Lets the kernel hold 1 MiB in each direction: bulk transfers run about twice as fast as with the default.
    ///
    /// The system's maximum applies, without an error.
    package static func enlargeBuffers(of socket: CInt) {
        setBuffers(of: socket, bytes: 1 << 20)
    }

    /// Requests this size in each direction. The kernel applies its minimum and maximum.
    package static func setBuffers(of socket: CInt, bytes: CInt) {
        _ = pbs_set_int_option(socket, SO_SNDBUF, bytes)
        _ = pbs_set_int_option(socket, SO_RCVBUF, bytes)
    }

    /// Shuts down the sending direction. The peer reads the bytes that were sent, and then the end.
    package static func endWriting(_ socket: CInt) throws(SystemError) {
        _ = try System.call("shutdown") { shutdown(socket, CInt(SHUT_WR)) }
    }

    /// Lets peers pass descriptors over this socket, or over future connections of this listener, or prevents it.
    ///
    /// - Returns: false if the kernel has no such switch (before Linux 6.16).
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
