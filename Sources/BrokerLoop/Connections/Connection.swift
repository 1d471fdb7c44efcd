import BrokerState
import PasteboardTransport
import PasteboardWire

// A connection has two states: how it is read and how it is written. Each transition is one function. The columns show
// the input or output that is left over, whether epoll reports events for it, when the connection continues, and the
// states that can follow.
//
//   reading   left over  epoll: readable  continues                                   to
//   open      nothing    reported         with the next event, or if `mayContinue`    queued, held
//   held      input      off              with a flush, once `mayContinue` is true    queued
//   queued    anything   ignored          in this turn or later, from `readingQueue`  open
//
//   writing   queued     epoll: writable  continues                                   to
//   idle      nothing    off              with the next frame for the peer            pending, failing, failed
//   pending   output     either           at the end of this turn, from `unflushed`   idle, blocked, failing, failed
//   blocked   output     reported         with the next event or frame for the peer   pending, failing, failed
//   failing   anything   either           at the end of this turn, from `unflushed`   failed
//   failed    anything   ignored          never
//
// A failed write does not end the connection: the peer may have sent a complete load before it exited. Its input is
// first read to the end. Each turn continues that, without waiting for events. The combinations that exist while
// neither `read` nor `flush` runs:
//
//   reading \ writing   idle, blocked   pending   failing   failed
//   open                yes             yes       yes       -
//   held                yes             yes       yes       -
//   queued              yes             yes       yes       yes
//
//   transition                          function               called by
//   open to held                        hold                   the parser
//   queued to open                      resume                 BrokerLoop.readQueued
//   open, held to queued                queued                 BrokerLoop.readLater, from an event, a flush or a read
//   idle, blocked to pending            appended               BrokerLoop.flushLater, from all code that adds output
//   pending to idle                     beginFlush             BrokerLoop.settle
//   idle, blocked to idle, blocked      flushed                BrokerLoop.flush
//   idle, pending, blocked to failing   writeFailed            BrokerLoop.send
//   any to failed                       flushFailed            BrokerLoop.flush
//
// A connection ends when the loop removes it from its table: after the state has removed the peer, or after all input
// of a peer that has disconnected, of which the state is then notified. The loop writes as much of the queued output as
// the socket accepts, and closes the descriptor.

/// One connected socket: input that has not been processed and output that the socket has not taken.
struct Connection: ~Copyable {
    enum Reading {
        /// Everything that was read has been processed.
        case open
        /// The next request waits until the peer has read the answers to earlier ones.
        case held
        /// The connection is in the queue of those that are read.
        case queued
    }

    enum Writing {
        case idle
        case pending
        /// The socket was full at the last flush.
        case blocked
        /// A write outside of a flush failed. The next flush reports that to the state.
        case failing
        /// The state has been notified that the peer receives no more output.
        case failed
    }

    /// The latest report to the state. When nothing more is held for the peer, that is reported once.
    struct Report {
        var hasUnread = false
        var hasPartial = false
        /// The position of the control queue.
        var position: UInt64 = 0
    }

    private static let unreadAnswers = 64 << 10
    /// Smaller than `unreadAnswers`, so that changes of watched boards alone never make the peer's requests wait.
    private static let unreadChanges = 8 << 10

    let peer: PeerID
    let process: UInt32
    /// The account of the peer's process.
    let account: Accounting.AccountID
    let descriptor: OwnedDescriptor
    private(set) var reading = Reading.open
    private(set) var writing = Writing.idle

    // MARK: Buffers

    var decoder = FrameDecoder(limitBeforeHello: WireLimits.helloLength)
    /// The start of a frame whose rest has not arrived.
    var carry: [UInt8] = []
    /// Input that was read but has not been processed. The socket is not read again before all of it is processed.
    private(set) var rest = Rest()
    var descriptors: ReceivedDescriptors
    var output = OutputBuffer()
    /// The number of bytes in the control queue that count as answers to the peer's own requests: at most the queue's
    /// size after the latest request. It is `Int.max` while a request is processed.
    var answerCount = 0
    /// Whether the peer is sent a list or a status, of which the rest waits until it has read.
    var isReporting = false
    /// Whether watched boards have changed, and the peer is sent that when it has read enough.
    var hasChanges = false
    var report = Report()
    /// The bytes of input and output that waited for the connection when they were last counted.
    var heldInput = 0
    var heldOutput = 0
    /// Whether the peer sees the broker's files, so that it may be passed those of the kept directory; nil before it
    /// is known.
    private var seesBrokersFiles: Bool?
    /// Whether secret bytes pass through the buffers, which are then overwritten after use.
    private(set) var isConcealing = false
    /// The events that epoll reports.
    var interest = Epoll.Interest.readable

    /// - Parameter closer: closes the descriptors that the peer passes.
    init(
        _ descriptor: consuming OwnedDescriptor,
        peer: PeerID,
        of process: UInt32,
        account: Accounting.AccountID,
        closer: DescriptorCloser
    ) {
        self.descriptor = descriptor
        self.peer = peer
        self.process = process
        self.account = account
        descriptors = ReceivedDescriptors(closer: closer)
    }

    /// Overwrites all buffers after their use from now on, because secret bytes pass through them. These buffers of a
    /// broker may have secret bytes, and nothing else:
    ///
    /// | buffer | overwritten |
    /// | --- | --- |
    /// | the loop's read buffer | after a read of such a connection or of an ended one: `BrokerLoop.read` |
    /// | the rest of a read, which waits | when it is processed: `BrokerLoop.takeRest`; at the end: `wipeInput` |
    /// | an incomplete frame, without bytes of contents | at the end: `wipeInput` |
    /// | the queue of stream frames | when they are sent, or its memory moves or is released: `ByteQueue.wipes` |
    /// | the files of kept bytes | before they are closed, and when the broker ends: `KeptMemory` |
    ///
    /// Secrets are neither in the kept directory nor on the disk: `SavingRules`.
    mutating func conceal() {
        isConcealing = true
        output.wipeStream()
    }

    /// Overwrites the input that was not processed.
    mutating func wipeInput() {
        guard isConcealing else { return }
        rest.bytes.wipe()
        carry.wipe()
    }

    /// Whether the peer's process sees the files that the broker sees. One in a container does not. It is determined
    /// when large bytes are loaded for the first time, because that takes several system calls.
    mutating func seesFiles() -> Bool {
        let isKnown = seesBrokersFiles ?? ProcessMounts.areShared(withPeerOf: descriptor.raw)
        seesBrokersFiles = isKnown
        return isKnown
    }

    // MARK: Reading

    /// Reads once from the socket.
    mutating func receive(
        through buffer: inout ReadBuffer,
        takingDescriptors: Bool
    ) throws(SystemError) -> ReceiveOutcome {
        try buffer.receive(
            from: descriptor.raw,
            takingDescriptors: takingDescriptors,
            carry: &carry,
            descriptors: &descriptors
        )
    }

    /// Whether the peer has read enough to be sent more answers.
    var mayBeAnswered: Bool { mutating get { output.controlCount <= Self.unreadAnswers || isWriteClosed } }

    /// Whether the peer has read enough to be sent changes of watched boards.
    var mayBeNotified: Bool { mutating get { output.controlCount <= Self.unreadChanges || isWriteClosed } }

    /// Whether the peer is to be sent more of a report or of changes, and has read enough for that.
    var maySendMore: Bool { mutating get { isReporting && mayBeAnswered || hasChanges && mayBeNotified } }

    /// Whether the peer's next request may be processed. If not, it waits until the peer has read earlier answers.
    var mayAsk: Bool { mutating get { !isReporting && mayBeAnswered } }

    var isReadOnEvent: Bool { reading == .open && !isWriteClosed }

    /// Whether reading may continue after a flush.
    var mayContinue: Bool { mutating get { reading == .held && mayBeAnswered || maySendMore } }

    /// Whether epoll reports input. While a connection is `queued`, which does not last long, its events are ignored:
    /// that is cheaper than switching them off and on.
    var isWatchedForInput: Bool { reading != .held }

    /// Stores the rest of a read for later.
    mutating func hold(_ rest: Rest) {
        self.rest = rest
        reading = .held
    }

    /// Removes the rest, to process it.
    mutating func takeRest() -> Rest {
        exchange(&rest, with: Rest())
    }

    /// Returns whether the connection has to be added to the loop's `readingQueue`.
    mutating func queued() -> Bool {
        guard reading != .queued else { return false }
        reading = .queued
        return true
    }

    mutating func resume() {
        reading = .open
    }

    // MARK: Writing

    /// Whether the peer receives no more output.
    var isWriteClosed: Bool { writing == .failing || writing == .failed }

    /// Returns whether the connection has to be added to the loop's list `unflushed`.
    mutating func appended() -> Bool {
        guard writing == .idle || writing == .blocked else { return false }
        writing = .pending
        return true
    }

    /// The connection has been removed from `unflushed`.
    mutating func beginFlush() {
        if writing == .pending { writing = .idle }
    }

    /// A flush has ended. If it added output itself, the connection is in `unflushed` again and stays `pending`.
    mutating func flushed(_ outcome: FlushOutcome) {
        guard writing != .pending else { return }
        if case .blocked = outcome { writing = .blocked } else { writing = .idle }
    }

    /// Returns whether the connection has to be added to the loop's list `unflushed`.
    mutating func writeFailed() -> Bool {
        let isListed = writing == .pending || writing == .failing
        writing = .failing
        return !isListed
    }

    mutating func flushFailed() {
        writing = .failed
    }
}

/// The end of a read that was not processed at once.
struct Rest {
    var bytes: [UInt8] = []
    /// The start of the part that has not been processed.
    var offset = 0

    var isEmpty: Bool { offset == bytes.count }

    init() {}

    init(copying bytes: Span<UInt8>) {
        self.bytes.append(copying: bytes)
    }
}
