import BrokerState
import PasteboardTransport
import PasteboardWire

/// One connected socket: what was read of it but not understood yet, and what it has not taken yet.
final class Connection {
    let peer: PeerID
    let descriptor: OwnedDescriptor
    var decoder = FrameDecoder(limitBeforeHello: WireLimits.helloLength)
    /// The start of a frame whose rest has not come.
    var carry: [UInt8] = []
    var descriptors: ReceivedDescriptors
    var output = OutputBuffer()
    /// Whether it is in the list of those to flush in this turn.
    var isDirty = false
    /// Whether epoll reports when the socket takes bytes again.
    var awaitsRoom = false
    /// Writing failed: what it still sent is read, then it is gone.
    var isWriteClosed = false

    /// What the peer passes is closed on the thread of `closer`.
    init(_ descriptor: consuming OwnedDescriptor, peer: PeerID, closer: DescriptorCloser) {
        self.descriptor = descriptor
        self.peer = peer
        self.descriptors = ReceivedDescriptors(closer: closer)
    }
}
