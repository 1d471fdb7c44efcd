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
    /// What epoll reports.
    var interest = Epoll.Interest.readable
    /// What was read and has to wait. It goes before what is in the socket, which is not read as long as there is any.
    var rest = Rest()
    /// Whether the rest begins with a request that waits until the peer has read.
    var isPaused = false
    /// Whether it is in the list of those that the next turn goes on with.
    var isUnfinished = false
    /// How much of the control queue its latest request has brought, or was there then; all of it during a request.
    var answerCount = 0
    /// Whether the state was told last that something waits for the peer to read, or that it has sent a part of a frame.
    var hasUnread = false
    var hasPartial = false
    /// How far it had read then.
    var readPosition: UInt64 = 0
    /// Writing failed: what it still sent is read, then it is gone.
    var isWriteClosed = false

    /// Whether it is read not when there are bytes, but when the list of the unfinished says so.
    var isHeldUp: Bool { !self.rest.isEmpty || self.isWriteClosed }
    /// Whether its next request is processed, or waits until it has read the answers to earlier ones.
    var mayAsk: Bool { self.output.controlCount <= Self.unreadAnswers || self.isWriteClosed }

    private static let unreadAnswers = 64 << 10

    /// What the peer passes is closed on the thread of `closer`.
    init(_ descriptor: consuming OwnedDescriptor, peer: PeerID, closer: DescriptorCloser) {
        self.descriptor = descriptor
        self.peer = peer
        self.descriptors = ReceivedDescriptors(closer: closer)
    }
}

/// The end of a read that was not processed at once.
struct Rest {
    private(set) var bytes: [UInt8] = []
    /// Where what is left of them begins.
    var offset = 0

    var isEmpty: Bool { self.offset == self.bytes.count }

    init() {}

    init(copying bytes: Span<UInt8>) {
        self.bytes.append(copying: bytes)
    }
}
