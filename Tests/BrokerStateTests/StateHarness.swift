import BrokerState
import PasteboardWire
import Testing

/// Drives a broker state as a loop does, but without sockets. Requests of peers are encoded and decoded, bytes move as
/// the state's verdicts demand, and the frames to each peer are collected.
final class StateHarness {
    private(set) var state: BrokerState
    private(set) var now: UInt64
    /// Whether sockets accept bytes at once. Otherwise the bytes wait for `deliver`.
    var deliversAtOnce = true
    /// Whether the rest of a list or a status is sent at once. Otherwise it waits for `continueReport`.
    var readsReports = true
    /// The peers with a list or a status of which a part has been sent.
    private(set) var unfinishedReports: Set<PeerID> = []
    /// Whether changes of watched boards are sent at once. Otherwise they wait for `continueChanges`.
    var readsChanges = true
    /// The peers with changes of watched boards that were not sent.
    private(set) var unsentChanges: Set<PeerID> = []
    /// The pieces of rounds since the start, and the greatest cost of one.
    private(set) var roundPieces: (count: Int, greatestCost: Int) = (0, 0)
    /// The cost of the last frame from a peer, without what the driver does afterwards.
    private(set) var inputCost = 0
    /// The greatest cost of a piece of the changes for a peer.
    private(set) var greatestChangesCost = 0
    /// Whether the system refuses to pass descriptors.
    var refusesDescriptors = false
    /// Whether the bytes of a cached load cannot be stored.
    var isMemoryFull = false

    private var decoders: [PeerID: FrameDecoder] = [:]
    private var inboxes: [PeerID: [Frame]] = [:]
    private var undelivered: [PeerID: [(load: LoadID, count: Int)]] = [:]
    private var nextStreams: [PeerID: UInt64] = [:]
    private var nextProcess: UInt32 = 100
    private var memory: [KeptID: [UInt8]] = [:]
    /// Kept representations whose bytes arrived as a descriptor.
    private(set) var adopted: Set<KeptID> = []
    private var closedKept: Set<KeptID> = []
    private(set) var passing: Set<PeerID> = []
    /// The descriptor that arrived with the frame that is being processed.
    private var received: ReceivedDescriptor?
    private(set) var sealed: Set<KeptID> = []
    private(set) var closed: Set<PeerID> = []
    /// The peers that were sent an error on stream 0, which must be the last frame for each.
    private var dismissed: Set<PeerID> = []
    private(set) var stoppedListening = false
    /// The connections and the kept bytes whose memory is overwritten after use.
    private(set) var concealing: Set<PeerID> = []
    private(set) var concealedKept: Set<KeptID> = []
    /// The peers that the log would show, in order.
    private(set) var removals: [PeerRemoval] = []
    private(set) var evictions: [Eviction] = []
    /// The greatest offset that each ask was granted, and the number of bytes that each load has moved.
    private(set) var granted: [UInt64: UInt64] = [:]
    private(set) var moved: [UInt64: UInt64] = [:]

    /// The contents that outlive this broker, and the changes of them (see `StateHarness+Saving`).
    var saved: [PublicationID: SavedEntry] = [:]
    var savedEarlier: [[PublicationID: SavedEntry]] = []

    /// The digests of all frames to each peer.
    private(set) var digests: [PeerID: FrameDigest] = [:]

    /// The number of kept representations that were opened and not closed.
    var openMemory: Int { memory.count }

    let epoch: UInt64
    let firstChangeCount: UInt64

    /// - Parameter now: the time at which the broker starts.
    init(
        firstChangeCount: UInt64 = 5_000,
        epoch: UInt64 = 77,
        now: UInt64 = 1_000,
        readsLoadsInPlace: Bool = true,
        process: UInt32 = 0,
        programVersion: String = "",
        _ configure: (inout BrokerLimits) -> Void = { _ in }
    ) {
        var limits = BrokerLimits()
        configure(&limits)
        self.epoch = epoch
        self.firstChangeCount = firstChangeCount
        self.now = now
        state = BrokerState(
            limits: limits,
            epoch: epoch,
            firstChangeCount: firstChangeCount,
            process: process,
            programVersion: programVersion
        )
        state.readsLoadsInPlace = readsLoadsInPlace
        state.started(at: now)
        setTime()
    }

    /// Sets the time, and checks the deadlines.
    private func setTime() {
        state.setTime(now)
        state.checkDeadlines()
    }

    // MARK: Peers

    /// Connects a process that sends nothing.
    func connectSilently(process: UInt32? = nil) -> PeerID {
        nextProcess += 1
        setTime()
        let peer = state.connected(ProcessKey(pid: process ?? nextProcess, identity: 1))
        decoders[peer] = FrameDecoder(limitBeforeHello: WireLimits.helloLength)
        perform()
        return peer
    }

    /// Connects a process that has sent hello and received welcome.
    func connect(
        _ label: String? = nil,
        process: UInt32? = nil,
        maximumStreams: UInt32? = nil,
        descriptors: Bool = false,
        dropReports: Bool = false,
        role: Role? = nil,
        groups: [String] = []
    ) -> PeerID {
        let peer = connectSilently(process: process)
        var hello = Hello()
        hello.label = label
        hello.maximumStreams = maximumStreams
        hello.role = role
        hello.groups = groups
        if descriptors { hello.features.append(Feature.descriptors.rawValue) }
        if dropReports { hello.features.append(Feature.dropReports.rawValue) }
        send(hello, on: 0, from: peer)
        _ = take(peer)
        return peer
    }

    func disconnect(_ peer: PeerID) {
        state.disconnected(peer)
        forget(peer)
        perform()
    }

    func stopReading(_ peer: PeerID) {
        state.stoppedReading(peer)
    }

    /// Sends the rest of a peer's list or status, or the given number of pieces of it.
    func continueReport(for peer: PeerID, pieces: Int = .max) {
        var rest = pieces
        while rest > 0, unfinishedReports.contains(peer) {
            if state.continueReport(for: peer) { unfinishedReports.remove(peer) }
            collect()
            rest -= 1
        }
    }

    /// Sends a peer the changes of watched boards, or the given number of pieces of them.
    func continueChanges(for peer: PeerID, pieces: Int = .max) {
        var rest = pieces
        while rest > 0, unsentChanges.contains(peer) {
            let start = state.context.cost
            if state.continueChanges(for: peer) { unsentChanges.remove(peer) }
            greatestChangesCost = max(greatestChangesCost, state.context.cost - start)
            collect()
            rest -= 1
        }
    }

    /// The frames to a peer since the last call.
    func take(_ peer: PeerID) -> [Frame] {
        inboxes.removeValue(forKey: peer) ?? []
    }

    func advance(by milliseconds: UInt64) {
        now += milliseconds
        // The state is called only when it has asked for it, so that a deadline that it forgot to report is not met by
        // chance.
        if now >= state.context.nextCheck { setTime() }
        perform()
    }

    /// Lets time pass that the clock of the deadlines skips.
    func suspend(for milliseconds: UInt64) {
        state.setTime(now, passed: milliseconds)
        perform()
    }

    func drain() { input { $0.drain() } }

    func beginTakeover() { input { $0.beginTakeover() } }
    func expectReclaims() { input { $0.expectReclaims() } }

    func endDraining() { input { $0.endDraining() } }

    func keptWriteFailed(_ kept: KeptID) { input { $0.keptWriteFailed(kept, reason: "no memory") } }

    /// Passes one input to the state, and performs its decisions.
    @discardableResult
    func input<Result, Problem>(_ body: (inout BrokerState) throws(Problem) -> Result) throws(Problem) -> Result {
        defer { perform() }
        return try body(&state)
    }

    func unread(_ count: Int, of peer: PeerID, isHeldUp: Bool = false, hasRead: Bool = false) {
        setTime()
        state.unread(count, of: peer, isHeldUp: isHeldUp, hasRead: hasRead)
        perform()
    }

    func partial(_ count: Int, of peer: PeerID) {
        setTime()
        state.partial(count, of: peer)
        perform()
    }

    // Wrapped state: `#expect` cannot use the parts of a noncopyable value.

    var held: BrokerState.Held { state.held }
    var isDraining: Bool { state.ending.isDraining }
    var isDrained: Bool { state.isDrained }

    var unclosedDescriptors: UInt64 {
        get { state.context.unclosedDescriptors }
        set { state.setUnclosedDescriptors(newValue) }
    }

    // MARK: Sending

    func send(_ message: some WireMessage, on stream: UInt64, from peer: PeerID) {
        var encoder = FrameEncoder()
        encoder.append(message, stream: stream)
        sendBytes(encoder.bytes, from: peer)
    }

    func data(_ bytes: [UInt8], last: Bool = false, on stream: UInt64, from peer: PeerID) {
        var encoder = FrameEncoder()
        encoder.appendData(bytes, stream: stream, flags: last ? .last : [])
        sendBytes(encoder.bytes, from: peer)
    }

    func data(count: Int, last: Bool = false, on stream: UInt64, from peer: PeerID) {
        var rest = count
        repeat {
            let piece = min(rest, WireLimits.dataLength)
            rest -= piece
            let bytes = [UInt8](repeating: 7, count: piece)
            data(bytes, last: last && rest == 0, on: stream, from: peer)
        } while rest > 0
    }

    /// Sends a frame with any header and payload.
    func raw(
        kind: UInt8,
        flags: UInt8 = 0,
        descriptors: UInt8 = 0,
        payload: [UInt8] = [],
        on stream: UInt64,
        from peer: PeerID
    ) {
        var encoder = FrameEncoder()
        var header = FrameHeader(.data, stream: stream, length: payload.count, descriptorCount: descriptors)
        header.rawKind = kind
        header.flags = FrameFlags(rawValue: flags)
        encoder.append(header: header)
        sendBytes(encoder.bytes + payload, from: peer)
    }

    /// Sends a frame that announces one descriptor, and passes that descriptor.
    func pass(
        _ descriptor: ReceivedDescriptor?,
        kind: FrameKind,
        payload: [UInt8] = [],
        on stream: UInt64,
        from peer: PeerID
    ) {
        received = descriptor
        raw(kind: kind.rawValue, flags: 1, descriptors: 1, payload: payload, on: stream, from: peer)
        received = nil
    }

    /// Counts a cost for the input of a peer, as the driver does.
    func spend(_ cost: Int, by peer: PeerID) {
        let account = state.account(of: peer)
        state.spent(since: state.context.cost - cost, by: account)
    }

    /// - Parameter descriptor: the descriptor that is passed with a frame whose header announces one.
    func sendBytes(_ bytes: [UInt8], passing descriptor: ReceivedDescriptor? = nil, from peer: PeerID) {
        if let descriptor { received = descriptor }
        defer { if descriptor != nil { received = nil } }
        setTime()
        perform()
        var offset = 0
        while var decoder = decoders[peer] {
            let piece: FrameChunk?
            do {
                piece = try decoder.next(in: bytes.span, at: &offset)
            } catch {
                state.violated(peer, error)
                perform()
                return
            }
            decoders[peer] = decoder
            guard let piece else { return }
            process(piece, Array(bytes[piece.payload]), from: peer)
        }
    }

    private func process(_ piece: FrameChunk, _ payload: [UInt8], from peer: PeerID) {
        guard piece.header.rawKind == FrameKind.data.rawValue, piece.header.descriptorCount == 0 else {
            let start = state.context.cost
            state.received(piece.header, payload.span, descriptor: received, from: peer)
            inputCost = state.context.cost - start
            decoders[peer]?.limitBeforeHello = nil
            return perform()
        }
        let stream = piece.header.stream
        let verdict = state.relay(stream: stream, count: payload.count, last: piece.endsSequence, from: peer)
        collect()
        switch verdict {
        case .forward(let destination, let target, let load, let length, let last):
            #expect(length == WireLimits.dataLength || length == WireLimits.sharedDataLength)
            moved[stream, default: 0] += UInt64(payload.count)
            receive(Frame(data: payload, last: last, stream: target), at: destination)
            queued(load, payload.count, at: destination)
        case .keep(let kept):
            memory[kept, default: []].append(contentsOf: payload)
        case .cache(let kept, let last):
            moved[stream, default: 0] += UInt64(payload.count)
            #expect(!sealed.contains(kept), "sealed memory takes no more bytes")
            guard !isMemoryFull else {
                state.keptWriteFailed(kept, reason: "no memory")
                break
            }
            memory[kept, default: []].append(contentsOf: payload)
            state.stored(kept, count: payload.count, last: last)
        case .drop, .closing:
            break
        }
        perform()
    }

    // MARK: Delivering

    private func queued(_ load: LoadID, _ count: Int, at destination: PeerID) {
        if deliversAtOnce {
            state.delivered(load, count: count)
        } else {
            undelivered[destination, default: []].append((load, count))
        }
    }

    /// Lets the peer's socket take the bytes that wait for it.
    ///
    /// - Parameter count: the number of chunks that it takes.
    func deliver(to peer: PeerID, atMost count: Int = .max) {
        let chunks = undelivered.removeValue(forKey: peer) ?? []
        let rest = Array(chunks.dropFirst(count))
        if !rest.isEmpty { undelivered[peer] = rest }
        for (load, count) in chunks.prefix(count) {
            state.delivered(load, count: count)
            perform()
        }
    }

    // MARK: Performing

    /// Lets the harness hold kept bytes that a broker has restored.
    func hold(_ bytes: [UInt8], as kept: KeptID) {
        memory[kept] = bytes
        sealed.insert(kept)
    }

    /// The kept bytes that the harness holds.
    func bytes(of kept: KeptID) -> [UInt8] { memory[kept] ?? [] }

    private func perform() {
        collect()
        while let chunk = state.nextKeptChunk() {
            collect()
            let bytes = memory[chunk.kept] ?? []
            let start = Int(chunk.offset)
            guard start + chunk.count <= bytes.count else {
                Issue.record("a chunk lies outside of the kept bytes")
                return
            }
            let frame = Frame(data: Array(bytes[start..<start + chunk.count]), last: chunk.last, stream: chunk.stream)
            receive(frame, at: chunk.destination)
            queued(chunk.load, chunk.count, at: chunk.destination)
            if chunk.last { state.keptLoadQueued(chunk.load) }
            collect()
        }
        while state.hasRounds {
            let start = state.context.cost
            state.continueRounds()
            roundPieces = (roundPieces.count + 1, max(roundPieces.greatestCost, state.context.cost - start))
            collect()
        }
        collect()
    }

    private func collect() {
        var outbox = Outbox()
        state.exchangeOutbox(with: &outbox)
        for (send, header, payload) in outbox.eachFrame {
            guard let kind = header.kind else {
                Issue.record("the broker sent an unknown frame")
                continue
            }
            let isLast = header.flags.contains(.last)
            var frame = Frame(kind: kind, stream: header.stream, payload: payload, last: isLast, order: send.order)
            frame.passing = send.passing?.descriptor
            if case .kept(let kept)? = frame.passing {
                let isSealed = sealed.contains(kept) || outbox.effects.contains(.sealKept(kept))
                #expect(isSealed || adopted.contains(kept), "only sealed memory is handed out")
            }
            #expect((frame.passing != nil) == (header.descriptorCount == 1))
            if let passing = send.passing, refusesDescriptors {
                state.passingRefused(passing.load)
                collect()
                continue
            }
            if let passing = send.passing { queued(passing.load, 0, at: send.peer) }
            if kind == .ask { granted[header.stream] = frame.decode(Ask.self).credit ?? 0 }
            if kind == .credit { granted[header.stream] = frame.decode(Credit.self).offset ?? 0 }
            receive(frame, at: send.peer)
        }
        for effect in outbox.effects { perform(effect) }
    }

    private func perform(_ effect: Outbox.Effect) {
        switch effect {
        case .logEviction(let eviction): evictions.append(eviction)
        case .continueReport(let peer):
            unfinishedReports.insert(peer)
            if readsReports { continueReport(for: peer) }
        case .sendChanges(let peer):
            unsentChanges.insert(peer)
            if readsChanges { continueChanges(for: peer) }
        case .log(let removal):
            removals.append(removal)
        case .close(let peer), .closeAfterError(let peer):
            #expect(closed.insert(peer).inserted, "a peer is closed once")
            forget(peer)
        case .passDescriptors(let peer):
            #expect(passing.insert(peer).inserted, "descriptors are negotiated once")
            decoders[peer]?.takesDescriptors = true
        case .adoptKept(let kept):
            guard case .sealedMemory(let count) = received, memory[kept] == nil else {
                Issue.record("only sealed memory is taken over, and in place of all bytes")
                return
            }
            memory[kept] = [UInt8](repeating: 7, count: Int(count))
            adopted.insert(kept)
        case .sealKept(let kept):
            #expect(!concealedKept.contains(kept), "secret memory is overwritten at its end")
            sealed.insert(kept)
        case .closeKept(let kept):
            #expect(closedKept.insert(kept).inserted, "kept bytes are closed once")
            memory[kept] = nil
            adopted.remove(kept)
            sealed.remove(kept)
        case .save(let contents): save(contents, as: state.saved(contents, at: bootTime))
        case .removeSaved(let contents): save(contents, as: nil)
        case .concealKept(let kept):
            concealedKept.insert(kept)
        case .conceal(let peer):
            concealing.insert(peer)
        case .stopListening, .passOnListening:
            stoppedListening = true
        }
    }

    private func receive(_ frame: Frame, at peer: PeerID) {
        #expect(!dismissed.contains(peer), "\(frame) follows an error on stream 0")
        if frame.kind == .error, frame.stream == 0 { dismissed.insert(peer) }
        digests[peer, default: FrameDigest()].add(frame)
        inboxes[peer, default: []].append(frame)
    }

    private func forget(_ peer: PeerID) {
        decoders[peer] = nil
        undelivered[peer] = nil
        unsentChanges.remove(peer)
    }

    /// The next id with which the peer may open a stream.
    func newStream(of peer: PeerID) -> UInt64 {
        let stream = nextStreams[peer] ?? 1
        nextStreams[peer] = stream + 2
        return stream
    }
}
