package import PasteboardWire

/// One connection to a broker as the client sees it, without a socket, a clock or a thread.
///
/// The program's wishes are methods that encode frames into `connectionFrames` and `streamFrames`; a driver sends these
/// (the former first) and empties them. What the broker sends goes through `received`, which answers with at most one
/// event. Bytes are not stored here: an event says where they lie.
///
/// The broker is not trusted to keep the protocol: what breaks it throws, and then the connection is over. Frames for a
/// stream that has ended on this side are late and dropped. Wishes about a stream that is over do nothing, because its
/// end may have come while the program was making up its mind.
package struct ClientState: Sendable {
    /// What a load grants unless it says otherwise.
    package static let standardWindow: UInt64 = 1 << 20
    /// Loads that are opened before the broker has said how many it takes; every broker takes more.
    private static let loadsBeforeWelcome = 16

    package private(set) var welcome: Welcome?
    /// What is asked of the welcome for each frame: looking into it there costs more than the frame.
    package private(set) var isWelcomed = false
    /// Whether descriptors may be sent and received.
    package private(set) var passesDescriptors = false
    private var maximumLoads = ClientState.loadsBeforeWelcome
    /// The broker's last words. What it had sent before is still on its way, so streams go on until its end of file.
    package private(set) var farewell: Failure?
    /// Why the connection is over.
    package private(set) var failure: Failure?

    package var connectionFrames = FrameEncoder()
    package var streamFrames = FrameEncoder()

    var streams = StreamTable(empty: OpenStream(phase: .probe))
    var asks = StreamTable(empty: OpenAsk())
    /// Sessions at this client's destinations.
    var destinationSessions = StreamTable(empty: OpenDestinationSession())
    /// Those among them whose drop was performed while loads of it wait for their turn.
    var performedDestinationSessions: [UInt64] = []
    /// Those that this client has left a moment ago: the broker may not know it yet.
    var leftDestinationSessions: [UInt64] = []
    let maximumAsks: Int
    /// Streams on which the broker owes nothing.
    var standing = 0

    private var highestStream: UInt64 = 0
    private var openLoads = 0
    private var probe: UInt64?
    /// Loads beyond what the broker takes at once, and the order of their turns; an id that is not in `waiting` any
    /// more was cancelled.
    private var waiting: [UInt64: Load] = [:]
    private var turns: [UInt64] = []
    private var nextTurn = 0
    /// The wire's id of each open load that had to wait.
    private var renamed: [UInt64: UInt64] = [:]

    /// Says hello.
    package init(hello: Hello = Hello()) {
        var hello = hello
        hello.minimumVersion = UInt32(FrameHeader.version)
        hello.maximumVersion = UInt32(FrameHeader.version)
        hello.features = Feature.allCases.map(\.rawValue)
        hello.maximumStreams = hello.maximumStreams ?? 128
        self.maximumAsks = Int(clamping: hello.maximumStreams ?? 128)
        self.connectionFrames.append(hello, stream: 0)
    }

    /// Whether the broker owes an answer. A publication that lives is none, nor a session that nothing was asked about.
    package var isAwaiting: Bool {
        !self.isWelcomed || self.streams.count > self.standing || !self.waiting.isEmpty
    }

    // MARK: Opening

    /// Opens a load. Beyond the number that the broker takes at once it waits for its turn.
    package mutating func open(_ load: consuming Load) throws(Failure) -> UInt64 {
        load.credit = load.credit ?? Self.standardWindow
        guard self.openLoads < self.maximumLoads, self.waiting.isEmpty else {
            try self.checkIsOpen()
            // Now, while somebody is there to hear of it.
            var scratch = FrameEncoder()
            try scratch.appendChecked(load, stream: 0)
            let stream = self.takeID()
            self.waiting[stream] = load
            self.turns.append(stream)
            return stream
        }
        return try self.start(load)
    }

    package mutating func open(_ write: Write) throws(Failure) -> UInt64 {
        try self.open(write, as: .write)
    }

    package mutating func open(_ list: List) throws(Failure) -> UInt64 {
        try self.open(list, as: .list)
    }

    package mutating func open(_ clear: Clear) throws(Failure) -> UInt64 {
        try self.open(clear, as: .clear)
    }

    package mutating func open(_ status: Status) throws(Failure) -> UInt64 {
        try self.open(status, as: .status)
    }

    package mutating func open(_ stop: Stop) throws(Failure) -> UInt64 {
        try self.open(stop, as: .stop)
    }

    /// Opens a wait for a destination; the event `ended` answers it.
    package mutating func open(_ wait: Wait) throws(Failure) -> UInt64 {
        // An older broker must refuse the request instead of ignoring it. A wait may be silent for long: meanwhile probes
        // show that the broker still answers.
        try self.open(wait, OpenStream(phase: .wait), flags: .mustUnderstand)
    }

    package mutating func open(_ drag: Drag) throws(Failure) -> UInt64 {
        try self.open(drag, as: .drag(isAddition: drag.handle != nil))
    }

    package mutating func open(_ destination: Destination) throws(Failure) -> UInt64 {
        try self.open(destination, as: .destination)
    }

    /// Asks for something that any broker answers at once, to learn whether it still does.
    package mutating func sendProbe() {
        guard self.probe == nil else { return }
        // No board has an empty name: refusing it costs the broker nothing, and is an answer.
        var list = List()
        list.board = ""
        self.probe = try? self.open(list, as: .probe)
    }

    private mutating func open(_ message: some WireMessage, as phase: OpenStream.Phase) throws(Failure) -> UInt64 {
        try self.open(message, OpenStream(phase: phase))
    }

    private mutating func open(
        _ message: some WireMessage,
        _ open: consuming OpenStream,
        flags: FrameFlags = .none
    ) throws(Failure) -> UInt64 {
        try self.checkIsOpen()
        let stream = self.takeID()
        try self.connectionFrames.appendChecked(message, stream: stream, flags: flags)
        open.programStream = stream
        self.streams.insert(open, for: stream)
        return stream
    }

    private mutating func start(_ load: Load) throws(Failure) -> UInt64 {
        var open = OpenStream(phase: .load)
        open.granted = load.credit ?? 0
        open.window = open.granted
        open.maximum = load.maximumByteCount ?? .max
        open.descriptorWelcome = load.descriptorWelcome ?? false
        let stream = try self.open(load, open)
        self.openLoads += 1
        return stream
    }

    private func checkIsOpen() throws(Failure) {
        if let failure = self.failure ?? self.farewell { throw failure }
    }

    private mutating func takeID() -> UInt64 {
        self.highestStream = self.highestStream == 0 ? 1 : self.highestStream &+ 2
        return self.highestStream
    }

    private mutating func startWaiting() {
        while self.openLoads < self.maximumLoads, self.nextTurn < self.turns.count, self.failure == nil {
            let programStream = self.turns[self.nextTurn]
            self.nextTurn += 1
            guard let load = self.waiting.removeValue(forKey: programStream) else { continue }
            // After a farewell it cannot start any more: it ends with the connection.
            guard let stream = try? self.start(load), let index = self.streams.index(of: stream) else {
                self.waiting[programStream] = load
                self.nextTurn -= 1
                return
            }
            self.streams.values[index].programStream = programStream
            self.renamed[programStream] = stream
        }
        if self.nextTurn == self.turns.count {
            self.turns.removeAll(keepingCapacity: true)
            self.nextTurn = 0
        }
        self.sendPerformed()
    }

    /// The publications that loads wait for.
    var waitingHandles: some Sequence<UInt64> { self.waiting.values.lazy.compactMap(\.handle) }

    // MARK: Going on

    func index(ofProgramStream programStream: UInt64) -> Int? {
        guard let index = self.streams.index(of: self.wireID(programStream)) else { return nil }
        return self.streams.values[index].programStream == programStream ? index : nil
    }

    func wireID(_ programStream: UInt64) -> UInt64 {
        self.renamed.isEmpty ? programStream : self.renamed[programStream] ?? programStream
    }

    /// Ends a stream on this side; nothing more is heard of it. Before commit that discards a write, after it the
    /// publication's promises.
    package mutating func cancel(_ stream: UInt64) {
        guard self.waiting.removeValue(forKey: stream) == nil else { return self.sendPerformed() }
        guard self.failure == nil, let index = self.index(ofProgramStream: stream) else { return }
        self.connectionFrames.append(Cancel(), stream: self.wireID(stream))
        self.close(at: index, stream: self.wireID(stream))
    }

    /// The program has dealt with so many more bytes of a load: the broker may send as many again.
    package mutating func consumed(_ stream: UInt64, count: Int) {
        guard let index = self.index(ofProgramStream: stream) else { return }
        self.streams.values[index].consumed &+= UInt64(clamping: count)
        let load = self.streams.values[index]
        // Half a window at a time, and not for bytes that will not come.
        let target = load.consumed.addingClamped(load.window)
        guard target > load.granted, target - load.granted >= load.window / 2 else { return }
        self.grant(stream)
    }

    /// Tells the broker now what was consumed, however little.
    package mutating func grant(_ stream: UInt64) {
        guard self.failure == nil, let index = self.index(ofProgramStream: stream) else { return }
        let load = self.streams.values[index]
        let target = load.consumed.addingClamped(load.window)
        guard case .load = load.phase, target > load.granted, load.declared.map({ $0 > load.granted }) ?? true else {
            return
        }
        self.streams.values[index].granted = target
        var credit = Credit()
        credit.offset = target
        self.connectionFrames.append(credit, stream: self.wireID(stream))
    }

    /// Whether the broker owes nothing on a stream from now on.
    mutating func setStanding(_ isStanding: Bool, at index: Int) {
        guard self.streams.values[index].isStanding != isStanding else { return }
        self.streams.values[index].isStanding = isStanding
        self.standing += isStanding ? 1 : -1
    }

    // MARK: Ends

    mutating func close(at index: Int, stream: UInt64) {
        let programStream = self.streams.values[index].programStream
        if self.streams.values[index].isStanding { self.standing -= 1 }
        switch self.streams.values[index].phase {
        case .load: self.openLoads -= 1
        case .probe: self.probe = nil
        default: break
        }
        self.streams.remove(at: index)
        if programStream != stream { self.renamed[programStream] = nil }
        if !self.turns.isEmpty { self.startWaiting() }
    }

    /// The connection has ended: nothing more can be sent or received.
    ///
    /// - Returns: the program's streams that ended with it, the asks, and the sessions at its destinations.
    package mutating func connectionLost(
        _ failure: Failure
    ) -> (streams: [UInt64], asks: [UInt64], destinationSessions: [UInt64]) {
        guard self.failure == nil else { return ([], [], []) }
        self.failure = failure
        let open = self.streams.openIDs.filter { $0 != self.probe }
        let streams = open.compactMap { self.streams.index(of: $0).map { self.streams.values[$0].programStream } }
        let lost = (
            streams: (streams + self.waiting.keys).sorted(), asks: self.asks.openIDs,
            destinationSessions: self.destinationSessions.openIDs
        )
        self.streams = StreamTable(empty: OpenStream(phase: .probe))
        self.asks = StreamTable(empty: OpenAsk())
        self.destinationSessions = StreamTable(empty: OpenDestinationSession())
        self.performedDestinationSessions = []
        self.waiting = [:]
        self.turns = []
        self.nextTurn = 0
        self.renamed = [:]
        self.standing = 0
        self.openLoads = 0
        self.connectionFrames.removeAll()
        self.streamFrames.removeAll()
        return lost
    }

    // MARK: The connection itself

    mutating func welcomed(_ welcome: Welcome) throws(Failure) -> ClientEvent {
        guard !self.isWelcomed else { throw .violation("a second welcome") }
        guard welcome.version == UInt32(FrameHeader.version) else {
            throw Failure(
                .versionMismatch,
                "the broker chose protocol version \(welcome.version ?? 0); this program speaks \(FrameHeader.version)"
            )
        }
        self.welcome = welcome
        self.isWelcomed = true
        self.passesDescriptors = welcome.features.contains(Feature.descriptors.rawValue)
        if let most = welcome.maximumStreams { self.maximumLoads = max(1, Int(most)) }
        self.startWaiting()
        return .welcomed(welcome)
    }

    mutating func parted(_ failure: Failure) {
        self.farewell = self.farewell ?? failure
    }

    /// Throws unless the id was this client's once.
    func checkIsLate(_ stream: UInt64) throws(Failure) {
        guard StreamID(stream).isOpenedByClient, stream <= self.highestStream else {
            throw .violation("a frame on stream \(stream), which was never opened")
        }
    }
}

extension Failure {
    static func violation(_ what: String) -> Failure {
        Failure(.protocolViolation, "the broker broke the protocol: \(what)")
    }
}

extension FrameEncoder {
    /// Appends the message unless it is too long for a frame.
    mutating func appendChecked(
        _ message: some WireMessage,
        stream: UInt64,
        flags: FrameFlags = .none
    ) throws(Failure) {
        let frame = self.append(message, stream: stream, flags: flags)
        guard frame.count - FrameHeader.byteCount <= WireLimits.controlLength else {
            self.removeAll(from: frame.lowerBound)
            throw Failure(
                .limitExceeded,
                "the request takes \(frame.count) bytes, mostly of names and types; at most \(WireLimits.controlLength) "
                    + "are allowed"
            )
        }
    }
}
