import BrokerState
import PasteboardTransport
import PasteboardWire

// A connection has two states: how it is read and how it is written. Each transition is one function.
//
//   reading   left over  epoll: readable  continues                                   to
//   open      nothing    reported         with the next event                         spent, held, behind
//   spent     input      reported         with the flush at the end of this turn      behind
//   held      input      off              with a flush, once the peer may ask again   behind
//   behind    input      ignored          in the next turn, from the list `behind`    open
//
//   writing   queued     epoll: writable  continues                                   to
//   idle      nothing    off              with the next frame for the peer            pending, failing, failed
//   pending   output     either           at the end of this turn, from `unflushed`   idle, blocked, failing, failed
//   blocked   output     reported         with the next event or frame for the peer   pending, failing, failed
//   failing   anything   either           at the end of this turn, from `unflushed`   failed
//   failed    anything   ignored          never
//
// A failed write does not end the connection: the peer may have sent a complete load before it exited. Its input is
// read to the end first, in each turn and without events. The combinations that exist outside of `read` and `flush`:
//
//   reading \ writing   idle, blocked   pending   failing   failed
//   open                yes             yes       yes       -
//   spent               -               yes       yes       -
//   held                yes             yes       yes       -
//   behind              yes             yes       yes       yes, also with nothing left over
//
//   transition                          function               called by
//   open to spent, held                 stop                   the parser
//   behind to open                      resume                 BrokerLoop.readBehind
//   open, spent, held to behind         fallBehind             BrokerLoop.readLater, from a flush or a read
//   idle, blocked to pending            appended               BrokerLoop.flushLater, from all code that adds output
//   pending to idle                     beginFlush             BrokerLoop.settle
//   idle, blocked to idle, blocked      flushed                BrokerLoop.flush
//   idle, pending, blocked to failing   writeFailed            BrokerLoop.send
//   any to failed                       flushFailed            BrokerLoop.flush
//
// A connection ends when the loop removes it from its table, after the state has forgotten the peer: queued output is
// written as far as the socket takes it, and the descriptor is closed.

/// One connected socket: input that has not been processed and output that the socket has not taken.
final class Connection {
    enum Reading {
        /// Everything that was read has been processed.
        case open
        /// The connection has used up its effort in this turn.
        case spent
        /// The next request waits until the peer has read the answers to earlier ones.
        case held
        /// The next turn continues with the input that is left over.
        case behind
    }

    enum Writing {
        case idle
        case pending
        /// The socket was full at the last flush.
        case blocked
        /// A write outside of a flush failed. The next flush reports that to the state.
        case failing
        /// The state knows that the peer receives no more output.
        case failed
    }

    /// The reason why input is left over.
    enum StopReason {
        case effort
        case unreadAnswers
    }

    /// The amounts that were last reported to the state. Nothing is reported while nothing is held for the peer.
    struct Report {
        var hasUnread = false
        var hasPartial = false
        /// The position of the control queue.
        var position: UInt64 = 0
    }

    private static let unreadAnswers = 64 << 10

    let peer: PeerID
    let descriptor: OwnedDescriptor
    private(set) var reading = Reading.open
    private(set) var writing = Writing.idle

    // MARK: Buffers

    var decoder = FrameDecoder(limitBeforeHello: WireLimits.helloLength)
    /// The start of a frame whose rest has not come.
    var carry: [UInt8] = []
    /// Input that is left over. It precedes what is in the socket, which is not read while there is any.
    private(set) var rest = Rest()
    var descriptors: ReceivedDescriptors
    var output = OutputBuffer()
    /// The size of the control queue after the peer's latest request; all of it while a request is processed.
    var answerCount = 0
    var report = Report()
    /// The events that epoll reports.
    var interest = Epoll.Interest.readable

    /// - Parameter closer: closes the descriptors that the peer passes.
    init(_ descriptor: consuming OwnedDescriptor, peer: PeerID, closer: DescriptorCloser) {
        self.descriptor = descriptor
        self.peer = peer
        descriptors = ReceivedDescriptors(closer: closer)
    }

    // MARK: Reading

    /// Whether the peer's next request is processed, or waits until the peer has read the answers to earlier ones.
    var mayAsk: Bool { output.controlCount <= Self.unreadAnswers || isWriteClosed }

    var isReadOnEvent: Bool { reading == .open && !isWriteClosed }

    /// Whether a flush lets the reading continue.
    var mayContinue: Bool { reading == .spent || reading == .held && mayAsk }

    /// Whether epoll reports input. While a connection is `behind`, which lasts less than a turn, its events are
    /// ignored: that is cheaper than switching them off and on.
    var isWatchedForInput: Bool { reading == .open || reading == .behind }

    /// Stores the rest of a read for later.
    func stop(_ reason: StopReason, leaving rest: Rest) {
        self.rest = rest
        reading = reason == .effort ? .spent : .held
    }

    /// Keeps the rest from an offset on for later.
    func stop(_ reason: StopReason, at offset: Int) {
        rest.offset = offset
        reading = reason == .effort ? .spent : .held
    }

    /// Drops the rest, which has been processed up to an incomplete frame at its end.
    func finishRest(carrying bytes: Span<UInt8>) {
        rest = Rest()
        carry.append(copying: bytes)
    }

    /// Returns whether the connection has to be added to the list.
    func fallBehind() -> Bool {
        guard reading != .behind else { return false }
        reading = .behind
        return true
    }

    func resume() {
        reading = .open
    }

    // MARK: Writing

    /// Whether the peer receives no more output.
    var isWriteClosed: Bool { writing == .failing || writing == .failed }

    /// Returns whether the connection has to be added to the list.
    func appended() -> Bool {
        guard writing == .idle || writing == .blocked else { return false }
        writing = .pending
        return true
    }

    /// The connection has been taken from the list.
    func beginFlush() {
        if writing == .pending { writing = .idle }
    }

    /// A flush may itself add output; then the connection is in the list again.
    func flushed(_ outcome: FlushOutcome) {
        if writing != .pending { writing = outcome == .blocked ? .blocked : .idle }
    }

    /// Returns whether the connection has to be added to the list.
    func writeFailed() -> Bool {
        let isListed = writing == .pending || writing == .failing
        writing = .failing
        return !isListed
    }

    func flushFailed() {
        writing = .failed
    }
}

/// The end of a read that was not processed at once.
struct Rest {
    private(set) var bytes: [UInt8] = []
    /// The start of the part that has not been processed.
    var offset = 0

    var isEmpty: Bool { offset == bytes.count }

    init() {}

    init(copying bytes: Span<UInt8>) {
        self.bytes.append(copying: bytes)
    }
}
