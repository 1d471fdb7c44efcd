import BrokerState
import PasteboardWire

/// Drives a broker state as a loop does, but without sockets, and checks what a driver relies on. Each frame from a peer
/// may cost only so much.
final class FuzzBroker {
    /// The maximum cost of one frame: two visits of the loop to a process, each of `ReadingQueue.quantum` units.
    ///
    /// The loop compares the cost with its limits between frames, so a frame delays others by all of its cost. With two
    /// visits a process is in debt for one round at most, and a turn of 50,000 units is at most a tenth longer.
    private static let greatestCost = 5_000
    /// The cost of a record that a frame ends, such as a load. Each was paid for when it was made.
    private static let greatestEndCost = 20

    private var state: BrokerState
    private var now: UInt64 = 1_000
    /// Whether sockets accept bytes at once. Otherwise the bytes wait for `deliver`.
    var deliversAtOnce = true
    /// Whether the system refuses to pass descriptors.
    var refusesDescriptors = false
    /// Whether the bytes of a cached load cannot be stored.
    var isMemoryFull = false

    private var decoders: [PeerID: FrameDecoder] = [:]
    private var undelivered: [PeerID: [(load: LoadID, count: Int)]] = [:]
    /// The number of bytes of each kept representation.
    private var memory: [KeptID: Int] = [:]
    private var unfinishedReports: Set<PeerID> = []
    private var unsentChanges: Set<PeerID> = []
    private var adopted: Set<KeptID> = []
    private var sealed: Set<KeptID> = []
    private var closedKept: Set<KeptID> = []
    private var closed: Set<PeerID> = []
    /// The peers that were sent an error on stream 0, which must be the last frame for each.
    private var dismissed: Set<PeerID> = []
    private var passing: Set<PeerID> = []
    /// The descriptor that arrived with the frame that is being processed.
    private var received: ReceivedDescriptor?
    /// The greatest offset that each ask was granted, and the number of bytes that it has sent.
    private var granted: [UInt64: UInt64] = [:]
    private var moved: [UInt64: UInt64] = [:]
    /// The frames to each peer since the last `take`.
    private var inboxes: [PeerID: [Frame]] = [:]

    struct Frame {
        let kind: FrameKind
        let stream: UInt64
        let payload: [UInt8]
    }

    init(limits: BrokerLimits) {
        state = BrokerState(limits: limits, epoch: 77, firstChangeCount: 5_000)
        setTime()
    }

    // MARK: Inputs

    func connect(process: UInt32) -> PeerID? {
        setTime()
        let peer = state.connected(ProcessKey(pid: process, identity: 1))
        decoders[peer] = FrameDecoder(limitBeforeHello: WireLimits.helloLength)
        perform()
        return decoders[peer] == nil ? nil : peer
    }

    func disconnect(_ peer: PeerID) {
        state.disconnected(peer)
        forget(peer)
        perform()
    }

    func stopReading(_ peer: PeerID) {
        state.stoppedReading(peer)
    }

    func advance(by milliseconds: UInt64) {
        now += milliseconds
        // The state is called only when it has asked for it, so that a deadline that it forgot to report is not met by
        // chance.
        if now >= state.context.nextCheck { setTime() }
        perform()
    }

    func drain() {
        state.drain()
        perform()
    }

    func endDraining() {
        state.endDraining()
        perform()
    }

    func unread(_ count: Int, of peer: PeerID, isHeldUp: Bool, hasRead: Bool) {
        setTime()
        state.unread(count, of: peer, isHeldUp: isHeldUp, hasRead: hasRead)
        perform()
    }

    func partial(_ count: Int, of peer: PeerID) {
        setTime()
        state.partial(count, of: peer)
        perform()
    }

    /// Sends the next piece of a peer's list or status.
    func continueReport(for peer: PeerID) {
        guard unfinishedReports.contains(peer) else { return }
        if state.continueReport(for: peer) { unfinishedReports.remove(peer) }
        perform()
    }

    /// Sends the next piece of the changes of boards that a peer watches.
    func continueChanges(for peer: PeerID) {
        guard unsentChanges.contains(peer) else { return }
        let cost = state.context.cost
        if state.continueChanges(for: peer) { unsentChanges.remove(peer) }
        check(
            state.context.cost - cost <= Self.greatestCost,
            "changes of boards cost \(state.context.cost - cost) units"
        )
        perform()
    }

    /// Lets the peer's socket take the bytes that wait for it.
    func deliver(to peer: PeerID) {
        for (load, count) in undelivered.removeValue(forKey: peer) ?? [] {
            state.delivered(load, count: count)
            perform()
        }
    }

    /// Passes the bytes of frames from a peer, with a descriptor for those that announce one.
    func send(_ bytes: [UInt8], with descriptor: ReceivedDescriptor? = nil, from peer: PeerID) {
        setTime()
        perform()
        received = descriptor
        defer { received = nil }
        var offset = 0
        while var decoder = decoders[peer] {
            let piece: FrameChunk?
            do throws(Failure) {
                piece = try decoder.next(in: bytes.span, at: &offset)
            } catch {
                state.violated(peer, error)
                return perform()
            }
            decoders[peer] = decoder
            guard let piece else { return }
            process(piece, Array(bytes[piece.payload]), from: peer)
        }
    }

    private func process(_ piece: FrameChunk, _ payload: [UInt8], from peer: PeerID) {
        let (cost, held) = (state.context.cost, state.held)
        guard piece.header.rawKind == FrameKind.data.rawValue, piece.header.descriptorCount == 0 else {
            state.received(piece.header, payload.span, descriptor: received, from: peer)
            checkCost(from: cost, held, of: piece.header, payload.count)
            decoders[peer]?.limitBeforeHello = nil
            return perform()
        }
        let stream = piece.header.stream
        let verdict = state.relay(stream: stream, count: payload.count, last: piece.endsSequence, from: peer)
        checkCost(from: cost, held, of: piece.header, payload.count)
        collect()
        switch verdict {
        case .forward(let destination, let target, let load, let length, _):
            check(length == WireLimits.dataLength || length == WireLimits.sharedDataLength, "frames of \(length) bytes")
            move(payload.count, from: stream)
            receive(Frame(kind: .data, stream: target, payload: []), at: destination)
            queued(load, payload.count, at: destination)
        case .keep(let kept):
            store(payload.count, in: kept)
        case .cache(let kept, let last):
            move(payload.count, from: stream)
            guard !isMemoryFull else {
                state.keptWriteFailed(kept, reason: "no memory")
                break
            }
            store(payload.count, in: kept)
            state.stored(kept, count: payload.count, last: last)
        case .drop, .closing:
            break
        }
        perform()
    }

    /// Checks the cost of a frame that was taken when the cost was `cost` and the charges were `held`.
    private func checkCost(from cost: Int, _ held: BrokerState.Held, of header: FrameHeader, _ count: Int) {
        let ended = max(0, held.recordCount - state.held.recordCount)
        // Each few bytes of a load's edges may be a name in a dynamic identifier.
        let decoding = header.kind == .load ? count / 4 : 0
        let most = Self.greatestCost + Self.greatestEndCost * ended + decoding
        let paid = state.context.cost - cost
        check(paid <= most, "a frame of kind \(header.rawKind) with \(count) bytes costs \(paid) units, of \(most)")
    }

    private func move(_ count: Int, from ask: UInt64) {
        moved[ask, default: 0] += UInt64(count)
        check(moved[ask, default: 0] <= granted[ask, default: 0], "ask \(ask) has sent bytes without credit")
    }

    private func store(_ count: Int, in kept: KeptID) {
        check(!closedKept.contains(kept) && !sealed.contains(kept) && !adopted.contains(kept), "\(kept) is not open")
        memory[kept, default: 0] += count
    }

    private func queued(_ load: LoadID, _ count: Int, at destination: PeerID) {
        if deliversAtOnce {
            state.delivered(load, count: count)
        } else {
            undelivered[destination, default: []].append((load, count))
        }
    }

    // MARK: Performing

    private func setTime() {
        state.setTime(now)
        state.checkDeadlines()
    }

    private func perform() {
        collect()
        while let chunk = state.nextKeptChunk() {
            collect()
            let end = chunk.offset + UInt64(chunk.count)
            check(end <= UInt64(memory[chunk.kept] ?? 0), "a chunk ends at \(end), outside of the kept bytes")
            receive(Frame(kind: .data, stream: chunk.stream, payload: []), at: chunk.destination)
            queued(chunk.load, chunk.count, at: chunk.destination)
            if chunk.last { state.keptLoadQueued(chunk.load) }
            collect()
        }
        while state.hasRounds {
            state.continueRounds()
            collect()
        }
        collect()
    }

    private func collect() {
        var outbox = Outbox()
        state.exchangeOutbox(with: &outbox)
        for (index, send) in outbox.sends.enumerated() where send.peer != .none {
            receive(send, outbox.bytes(ofSend: index), of: outbox)
        }
        for effect in outbox.effects { perform(effect) }
    }

    private func receive(_ send: Outbox.Send, _ bytes: Range<Int>, of outbox: borrowing Outbox) {
        var start = bytes.lowerBound
        while let header = FrameHeader(outbox.frames.bytes.span, at: start), start < bytes.upperBound {
            let payload = start + FrameHeader.byteCount..<start + FrameHeader.byteCount + Int(header.length)
            check(payload.upperBound <= bytes.upperBound, "the broker has sent an incomplete frame")
            check(payload.count <= WireLimits.controlLength, "the broker has sent a frame of \(payload.count) bytes")
            start = payload.upperBound
            guard let kind = header.kind else { fault("the broker has sent an unknown frame") }
            check((send.passing != nil) == (header.descriptorCount == 1), "a descriptor is not announced")
            if let passing = send.passing {
                if case .kept(let kept) = passing.descriptor {
                    let isSealed = sealed.contains(kept) || outbox.effects.contains(.sealKept(kept))
                    check(isSealed || adopted.contains(kept), "memory is passed that is not sealed")
                }
                if refusesDescriptors {
                    state.passingRefused(passing.load)
                    collect()
                    continue
                }
                queued(passing.load, 0, at: send.peer)
            }
            let frame = Frame(kind: kind, stream: header.stream, payload: Array(outbox.frames.bytes[payload]))
            if kind == .ask { granted[frame.stream] = frame.decoded(Ask.self).credit ?? 0 }
            if kind == .credit { granted[frame.stream] = frame.decoded(Credit.self).offset ?? 0 }
            receive(frame, at: send.peer)
        }
        check(start == bytes.upperBound, "the broker has sent an incomplete frame")
    }

    private func receive(_ frame: Frame, at peer: PeerID) {
        check(!dismissed.contains(peer), "\(frame.kind) on stream \(frame.stream) follows an error on stream 0")
        if frame.kind == .error, frame.stream == 0 { dismissed.insert(peer) }
        inboxes[peer, default: []].append(frame)
    }

    private func perform(_ effect: Outbox.Effect) {
        switch effect {
        case .save, .removeSaved, .passOnListening: break
        case .continueReport(let peer): unfinishedReports.insert(peer)
        case .sendChanges(let peer): unsentChanges.insert(peer)
        case .log(let removal): check(!removal.text.unicodeScalars.contains { $0.isHarmful }, "a log line has controls")
        case .logEviction(let eviction):
            check(!eviction.text.unicodeScalars.contains { $0.isHarmful }, "a log line has controls")
        case .close(let peer), .closeAfterError(let peer):
            check(closed.insert(peer).inserted, "a peer is closed twice")
            forget(peer)
        case .passDescriptors(let peer):
            check(passing.insert(peer).inserted, "descriptors are negotiated twice")
            decoders[peer]?.takesDescriptors = true
        case .adoptKept(let kept):
            guard case .sealedMemory(let count) = received, memory[kept] == nil else {
                fault("memory is taken over that is not sealed, or beside other bytes")
            }
            memory[kept] = Int(clamping: count)
            adopted.insert(kept)
        case .sealKept(let kept): sealed.insert(kept)
        case .closeKept(let kept):
            check(closedKept.insert(kept).inserted, "kept bytes are closed twice")
            memory[kept] = nil
        case .concealKept, .conceal, .stopListening: break
        }
    }

    private func forget(_ peer: PeerID) {
        decoders[peer] = nil
        undelivered[peer] = nil
        unfinishedReports.remove(peer)
    }

    // MARK: State

    func isConnected(_ peer: PeerID) -> Bool { decoders[peer] != nil }
    func passesDescriptors(_ peer: PeerID) -> Bool { passing.contains(peer) }
    func hasReport(_ peer: PeerID) -> Bool { unfinishedReports.contains(peer) }
    var isDraining: Bool { state.ending.isDraining }
    var held: BrokerState.Held { state.held }
    var openMemory: Int { memory.count }

    /// The frames to a peer since the last call.
    func take(_ peer: PeerID) -> [Frame] { inboxes.removeValue(forKey: peer) ?? [] }
}

extension FuzzBroker.Frame {
    func decoded<Message: WireMessage>(_ type: Message.Type) -> Message {
        do throws(Failure) {
            return try Message(decoding: payload)
        } catch {
            fault("the broker has sent \(kind), which does not decode: \(error)")
        }
    }
}

extension BrokerState.Held {
    fileprivate var recordCount: Int {
        peers + loads + writes + publications + sessions + destinationSessions + destinations + waits + watches
            + createdBoards
    }
}
