package import PasteboardWire

/// One connection to a broker as the client sees it, without a socket, a clock or a thread.
///
/// The program's requests are methods that encode frames into `connectionFrames` and `streamFrames`. A driver sends
/// these frames, those of the connection first, and then removes them. Frames of the broker are passed to `received`,
/// which passes at most one event to its handler. Bytes are not stored here: an event contains their range.
///
/// The broker is not trusted. A breach of the protocol throws, and ends the connection. Frames for a stream that has
/// ended on this side are late and are dropped. Requests on a stream that has ended do nothing, because the program may
/// not have handled its end yet.
package struct ClientState: Sendable {
    /// The credit window of a load that sets none. It is twice the window that the broker grants a source, so that the
    /// credit of a destination is seldom the smaller one.
    package static let standardWindow: UInt64 = 2 << 20
    /// The number of loads that may be open before the broker has reported its limit. Every broker allows more.
    private static let loadsBeforeWelcome = 16

    package private(set) var welcome: Welcome?
    /// Fields of the welcome that are needed for each frame. Reading them from `welcome` would cost more than the
    /// frame.
    package private(set) var isWelcomed = false
    /// Whether descriptors may be sent and received.
    package private(set) var passesDescriptors = false
    private var maximumLoads = ClientState.loadsBeforeWelcome
    /// The broker's reason for ending the connection. Bytes that it sent before may still be on their way, so streams
    /// continue until the end of file.
    package private(set) var farewell: Failure?
    /// The reason why the connection has ended.
    package private(set) var failure: Failure?

    package var connectionFrames = FrameMemory()
    package var streamFrames = FrameMemory()

    /// The driver's number for the request of a stream; 0 for none. A driver sets it before it opens a stream. While an
    /// event is handled, it is the number of the event's stream.
    package var owner: UInt32 = 0

    var streams = StreamTable(empty: OpenStream(.probe, on: 0))
    var asks = StreamTable(empty: OpenAsk())
    /// The moves of this client's drag sessions, by stream.
    var questions: [UInt64: DragQuestions] = [:]
    /// Sessions at this client's destinations.
    var destinationSessions = StreamTable(empty: OpenDestinationSession())
    /// The destination sessions whose drop was performed while loads of them wait for their turn.
    var performedDestinationSessions: [UInt64] = []
    /// The destination sessions that this client has recently left. The broker may not know it yet.
    var leftDestinationSessions: [UInt64] = []
    let maximumAsks: Int
    /// Whether this is an end of a link, whose line may be slow: its data frames are short, so that others come
    /// between.
    let isLink: Bool
    /// The number of open streams on which no answer is pending.
    var standing = 0
    /// The number of streams of requests whose answer is pending.
    // `mutating`, because a borrowing call would copy the whole state for its callee.
    package var movingCount: Int { mutating get { streams.count - standing } }

    private var highestStream: UInt64 = 0
    var openLoads = 0
    private var probe: UInt64?
    /// Loads beyond the broker's limit. `turns` contains their order; a number that is no longer in `waiting` was
    /// cancelled.
    private var waiting: [UInt64: (load: EncodedLoad, owner: UInt32)] = [:]
    private var turns: [UInt64] = []
    private var nextTurn = 0
    /// The number on the wire of each open load that had to wait.
    private var renamed: [UInt64: UInt64] = [:]

    /// Creates a connection that begins with hello.
    package init(hello: Hello = Hello()) {
        var hello = hello
        hello.minimumVersion = UInt32(FrameHeader.version)
        hello.maximumVersion = UInt32(FrameHeader.version)
        hello.features = Feature.allCases.map(\.rawValue)
        hello.maximumStreams = hello.maximumStreams ?? 128
        maximumAsks = Int(clamping: hello.maximumStreams ?? 128)
        isLink = hello.role == .link
        connectionFrames.append(hello, stream: 0)
    }

    /// Whether an answer of the broker is pending. Publications and sessions without an open request do not count.
    package var isAwaiting: Bool {
        !isWelcomed || streams.count > standing || !waiting.isEmpty
    }

    // MARK: Opening

    /// Opens a load. Beyond the broker's limit the load waits for its turn.
    package mutating func open(_ load: borrowing Load) throws(Failure) -> UInt64 {
        guard mayStartLoad else { return try wait(EncodedLoad(load, standardCredit: Self.standardWindow)) }
        try checkIsOpen()
        let stream = nextID()
        let credit = load.credit ?? Self.standardWindow
        try connectionFrames.check(connectionFrames.append(load, credit: credit, stream: stream))
        streams.insert(
            OpenStream(
                on: stream,
                owner: owner,
                credit: credit,
                maximum: load.maximumByteCount,
                descriptorWelcome: load.descriptorWelcome ?? false
            )
        )
        openLoads += 1
        return stream
    }

    /// Opens a load that was encoded before, with the same effect.
    package mutating func open(_ load: borrowing EncodedLoad) throws(Failure) -> UInt64 {
        guard mayStartLoad else { return try wait(copy load) }
        return try start(load, owner: owner)
    }

    private var mayStartLoad: Bool {
        @inline(__always) get { openLoads < maximumLoads && waiting.isEmpty }
    }

    private mutating func wait(_ load: EncodedLoad) throws(Failure) -> UInt64 {
        try checkIsOpen()
        // A load that is too long fails here, while the caller can handle the error.
        var scratch = FrameMemory()
        try scratch.check(scratch.append(load, stream: 0))
        let stream = nextID()
        waiting[stream] = (load, owner)
        turns.append(stream)
        return stream
    }

    package mutating func open(_ write: Write) throws(Failure) -> UInt64 {
        try open(write, as: .write(isAddition: write.handle != nil))
    }

    package mutating func open(_ list: List) throws(Failure) -> UInt64 {
        try open(list, as: .list)
    }

    package mutating func open(_ clear: Clear) throws(Failure) -> UInt64 {
        try open(clear, as: .clear)
    }

    package mutating func open(_ status: Status) throws(Failure) -> UInt64 {
        try open(status, as: .status(memory: 0))
    }

    package mutating func open(_ stop: Stop) throws(Failure) -> UInt64 {
        try open(stop, as: .stop)
    }

    /// Opens a watch; the event `registered` answers it.
    package mutating func open(_ watch: Watch) throws(Failure) -> UInt64 {
        let stream = try open(watch, as: .watch, flags: .mustUnderstand)
        if let index = streams.index(of: stream) { streams.values[index].granted = watch.credit ?? 0 }
        return stream
    }

    /// Creates a board; the event `registered` contains its name.
    package mutating func open(_ board: CreateBoard) throws(Failure) -> UInt64 {
        try open(board, as: .createBoard, flags: .mustUnderstand)
    }

    package mutating func open(_ drag: Drag) throws(Failure) -> UInt64 {
        try open(drag, as: .drag(isAddition: drag.handle != nil))
    }

    package mutating func open(_ destination: Destination) throws(Failure) -> UInt64 {
        try open(destination, as: .destination)
    }

    /// Sends a request that every broker answers at once, to find out whether it still answers.
    package mutating func sendProbe() {
        guard probe == nil else { return }
        // No board has an empty name. Refusing the request costs the broker nothing, and is an answer.
        var list = List()
        list.board = ""
        probe = try? open(list, as: .probe)
    }

    private mutating func open(
        _ message: some WireMessage,
        as phase: OpenStream.Phase,
        flags: FrameFlags = .none
    ) throws(Failure) -> UInt64 {
        try checkIsOpen()
        let stream = nextID()
        try connectionFrames.appendChecked(message, stream: stream, flags: flags)
        streams.insert(OpenStream(phase, on: stream, owner: owner))
        return stream
    }

    @inline(__always)
    private mutating func start(_ load: borrowing EncodedLoad, owner: UInt32) throws(Failure) -> UInt64 {
        try checkIsOpen()
        let stream = nextID()
        try connectionFrames.check(connectionFrames.append(load, stream: stream))
        streams.insert(
            OpenStream(
                on: stream,
                owner: owner,
                credit: load.credit,
                maximum: load.maximumByteCount,
                descriptorWelcome: load.descriptorWelcome
            )
        )
        openLoads += 1
        return stream
    }

    private func checkIsOpen() throws(Failure) {
        if failure == nil, farewell == nil { return }
        if let failure = self.failure ?? farewell { throw failure }
    }

    private mutating func nextID() -> UInt64 {
        highestStream = highestStream == 0 ? 1 : highestStream &+ 2
        return highestStream
    }

    private mutating func startWaiting() {
        while openLoads < maximumLoads, nextTurn < turns.count, failure == nil {
            let programStream = turns[nextTurn]
            nextTurn += 1
            guard let next = waiting.removeValue(forKey: programStream) else { continue }
            // After a farewell no load can start. It ends with the connection.
            guard let stream = try? start(next.load, owner: next.owner), let index = streams.index(of: stream) else {
                waiting[programStream] = next
                nextTurn -= 1
                return
            }
            streams.values[index].programStream = programStream
            renamed[programStream] = stream
        }
        if nextTurn == turns.count {
            turns.removeAll(keepingCapacity: true)
            nextTurn = 0
        }
        sendPerformed()
    }

    /// The handles of the publications whose loads wait.
    var waitingHandles: some Sequence<UInt64> { waiting.values.lazy.compactMap { $0.load.handle } }

    // MARK: Open streams

    /// The number that a driver has set for an open stream (see `owner`).
    ///
    /// - Parameter stream: the number of the stream on the wire.
    package func owner(of stream: UInt64) -> UInt32 {
        guard StreamID(stream).isOpenedByBroker else {
            return streams.index(of: stream).map { streams.values[$0].owner } ?? 0
        }
        if let index = asks.index(of: stream) { return asks.values[index].owner }
        return destinationSessions.index(of: stream).map { destinationSessions.values[$0].owner } ?? 0
    }

    /// Sets the number of a stream.
    package mutating func setOwner(_ owner: UInt32, of stream: UInt64) {
        if let index = asks.index(of: stream) {
            asks.values[index].owner = owner
        } else if let index = destinationSessions.index(of: stream) {
            destinationSessions.values[index].owner = owner
        } else if let index = index(ofProgramStream: stream) {
            streams.values[index].owner = owner
        }
    }

    @inline(__always)
    func index(ofProgramStream programStream: UInt64) -> Int? {
        guard let index = streams.index(of: wireID(programStream)) else { return nil }
        return streams.values[index].programStream == programStream ? index : nil
    }

    @inline(__always)
    func wireID(_ programStream: UInt64) -> UInt64 {
        renamed.isEmpty ? programStream : renamed[programStream] ?? programStream
    }

    /// Ends a stream on this side; no more events of it follow. This discards a write before its commit, and withdraws
    /// the promises of a publication after it.
    package mutating func cancel(_ stream: UInt64) {
        guard waiting.removeValue(forKey: stream) == nil else { return sendPerformed() }
        guard failure == nil, let index = self.index(ofProgramStream: stream) else { return }
        connectionFrames.append(Cancel(), stream: wireID(stream))
        close(at: index, stream: wireID(stream))
    }

    /// Records that the program has consumed `count` more bytes of a load. The broker may then send as many more.
    package mutating func consumed(_ stream: UInt64, count: Int) {
        // After its last bytes a load is no longer in the table.
        guard let index = self.index(ofProgramStream: stream) else { return }
        consumed(count, at: index)
    }

    @inline(never)
    private mutating func consumed(_ count: Int, at index: Int) {
        streams.values[index].consumed &+= UInt64(clamping: count)
        let load = streams.values[index]
        // Credit is granted in steps of half a window, and not once it covers all announced bytes.
        let target = load.consumed.addingClamped(load.window)
        guard target > load.granted, target - load.granted >= load.window / 2 else { return }
        grant(load.programStream)
    }

    /// Grants the credit for the consumed bytes now, even if they are few.
    package mutating func grant(_ stream: UInt64) {
        guard failure == nil, let index = self.index(ofProgramStream: stream) else { return }
        let load = streams.values[index]
        let target = load.consumed.addingClamped(load.window)
        guard case .load = load.phase, target > load.granted, load.declared.map({ $0 > load.granted }) ?? true else {
            return
        }
        grant(upTo: target, at: index)
    }

    /// Sets how many bytes of a load the broker may send ahead of those that were consumed.
    mutating func setWindow(of stream: UInt64, to count: UInt64) {
        if let index = self.index(ofProgramStream: stream) { streams.values[index].window = count }
    }

    /// Lets the broker send one more change on a watch.
    package mutating func grantChange(_ stream: UInt64) {
        guard failure == nil, let index = self.index(ofProgramStream: stream) else { return }
        guard case .watch = streams.values[index].phase else { return }
        grant(upTo: streams.values[index].granted &+ 1, at: index)
    }

    private mutating func grant(upTo offset: UInt64, at index: Int) {
        streams.values[index].granted = offset
        var credit = Credit()
        credit.offset = offset
        connectionFrames.append(credit, stream: streams.values[index].stream)
    }

    /// Sets whether a stream is standing: no answer is pending on it.
    mutating func setStanding(_ isStanding: Bool, at index: Int) {
        guard streams.values[index].isStanding != isStanding else { return }
        streams.values[index].isStanding = isStanding
        standing += isStanding ? 1 : -1
    }

    // MARK: Ends

    mutating func close(at index: Int, stream: UInt64) {
        let programStream = streams.values[index].programStream
        if streams.values[index].isStanding { standing -= 1 }
        switch streams.values[index].phase {
        case .load: openLoads -= 1
        case .probe: probe = nil
        case .session, .offering: questions[stream] = nil
        default: break
        }
        remove(at: index, stream: stream, programStream: programStream)
    }

    @inline(__always)
    mutating func remove(at index: Int, stream: UInt64, programStream: UInt64) {
        streams.remove(at: index)
        if programStream != stream { renamed[programStream] = nil }
        if !turns.isEmpty { startWaiting() }
    }

    /// Records that the connection has ended: nothing more can be sent or received.
    ///
    /// - Returns: the streams that ended with it: the program's, the asks, and the sessions at its destinations.
    package mutating func connectionLost(
        _ failure: Failure
    ) -> (streams: [UInt64], asks: [UInt64], destinationSessions: [UInt64]) {
        guard self.failure == nil else { return ([], [], []) }
        self.failure = failure
        let open = self.streams.openIDs.filter { $0 != probe }
        let streams = open.compactMap { self.streams.index(of: $0).map { self.streams.values[$0].programStream } }
        let lost = (
            streams: (streams + waiting.keys).sorted(), asks: self.asks.openIDs,
            destinationSessions: self.destinationSessions.openIDs
        )
        self.streams = StreamTable(empty: OpenStream(.probe, on: 0))
        self.asks = StreamTable(empty: OpenAsk())
        self.destinationSessions = StreamTable(empty: OpenDestinationSession())
        questions = [:]
        performedDestinationSessions = []
        waiting = [:]
        turns = []
        nextTurn = 0
        renamed = [:]
        standing = 0
        openLoads = 0
        connectionFrames.removeAll()
        streamFrames.removeAll()
        return lost
    }

    // MARK: The connection itself

    /// - Parameter probeArrived: whether the descriptor that `welcome` announces has arrived, which it does not through
    ///   `ssh`, for example; nil if it announces none.
    mutating func welcomed(_ welcome: Welcome, probeArrived: Bool?) throws(Failure) -> ClientEvent {
        guard !isWelcomed else { throw .violation("a second welcome") }
        guard welcome.version == UInt32(FrameHeader.version) else {
            throw Failure(
                .versionMismatch,
                "the broker chose protocol version \(welcome.version ?? 0); this program speaks \(FrameHeader.version)"
                    + BrokerConnector.hint
            )
        }
        self.welcome = welcome
        isWelcomed = true
        passesDescriptors = welcome.features.contains(Feature.descriptors.rawValue)
        if passesDescriptors, probeArrived == false {
            passesDescriptors = false
            connectionFrames.append(Inline(), stream: 0)
        }
        if let most = welcome.maximumStreams { maximumLoads = max(1, Int(most)) }
        startWaiting()
        return .welcomed(welcome)
    }

    mutating func parted(_ failure: Failure) {
        farewell = farewell ?? failure
    }

    /// Throws unless this client has opened the stream before.
    func checkIsLate(_ stream: UInt64) throws(Failure) {
        guard StreamID(stream).isOpenedByClient, stream <= highestStream else {
            throw .violation("a frame on stream \(stream), which was never opened")
        }
    }
}

extension Failure {
    static func violation(_ what: String) -> Failure {
        Failure(.protocolViolation, "the broker violated the protocol: \(what)")
    }
}

extension FrameMemory {
    /// Appends the message unless it is too long for a frame.
    mutating func appendChecked(
        _ message: some WireMessage,
        stream: UInt64,
        flags: FrameFlags = .none
    ) throws(Failure) {
        try check(append(message, stream: stream, flags: flags))
    }

    /// Removes the last frame, which is in `range`, if it is too long.
    @inline(__always)
    mutating func check(_ range: Range<Int>) throws(Failure) {
        if range.count > FrameHeader.byteCount + WireLimits.controlLength { throw refused(range) }
    }

    @inline(never)
    private mutating func refused(_ range: Range<Int>) -> Failure {
        removeAll(from: range.lowerBound)
        return Failure(
            .limitExceeded,
            "the request takes \(range.count) bytes, mostly of names and types; at most \(WireLimits.controlLength) "
                + "are allowed"
        )
    }
}
