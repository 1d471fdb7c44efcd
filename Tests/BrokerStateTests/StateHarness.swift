import BrokerState
import PasteboardWire
import Testing

/// Drives a broker state as a loop does, but without sockets. Requests of peers are encoded and decoded, bytes move as
/// the state's verdicts demand, and the frames to each peer are collected.
final class StateHarness {
    private(set) var state: BrokerState
    private(set) var now: UInt64 = 1_000
    /// Whether sockets accept bytes at once. Otherwise the bytes wait for `deliver`.
    var deliversAtOnce = true
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
    /// Kept representations whose bytes came as a descriptor.
    private(set) var adopted: Set<KeptID> = []
    private var closedKept: Set<KeptID> = []
    private(set) var passing: Set<PeerID> = []
    /// The descriptor that comes with the frame that is being processed.
    private var received: ReceivedDescriptor?
    private(set) var sealed: Set<KeptID> = []
    private(set) var closed: Set<PeerID> = []
    private(set) var stoppedListening = false
    /// The peers that the log would show, in order.
    private(set) var removals: [PeerRemoval] = []
    /// The greatest offset that each ask was granted, and the number of bytes that each load has moved.
    private(set) var granted: [UInt64: UInt64] = [:]
    private(set) var moved: [UInt64: UInt64] = [:]

    /// The digests of all frames to each peer.
    private(set) var digests: [PeerID: FrameDigest] = [:]

    /// The number of kept representations that were opened and not closed.
    var openMemory: Int { self.memory.count }

    init(firstChangeCount: UInt64 = 5_000, epoch: UInt64 = 77, _ configure: (inout BrokerLimits) -> Void = { _ in }) {
        var limits = BrokerLimits()
        configure(&limits)
        self.state = BrokerState(limits: limits, epoch: epoch, firstChangeCount: firstChangeCount)
        self.state.advance(to: self.now)
    }

    // MARK: Peers

    /// Connects a process that sends nothing.
    func connectSilently(process: UInt32? = nil) -> PeerID {
        self.nextProcess += 1
        self.state.advance(to: self.now)
        let peer = self.state.connected(ProcessKey(pid: process ?? self.nextProcess, identity: 1))
        self.decoders[peer] = FrameDecoder(limitBeforeHello: WireLimits.helloLength)
        self.perform()
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
        let peer = self.connectSilently(process: process)
        var hello = Hello()
        hello.label = label
        hello.maximumStreams = maximumStreams
        hello.role = role
        hello.groups = groups
        if descriptors { hello.features.append(Feature.descriptors.rawValue) }
        if dropReports { hello.features.append(Feature.dropReports.rawValue) }
        self.send(hello, on: 0, from: peer)
        _ = self.take(peer)
        return peer
    }

    func disconnect(_ peer: PeerID) {
        self.state.disconnected(peer)
        self.forget(peer)
        self.perform()
    }

    func stopReading(_ peer: PeerID) {
        self.state.stoppedReading(peer)
    }

    /// The frames to a peer since the last call.
    func take(_ peer: PeerID) -> [Frame] {
        self.inboxes.removeValue(forKey: peer) ?? []
    }

    func advance(by milliseconds: UInt64) {
        self.now += milliseconds
        // The state is called only when it has asked for it, so that a deadline that it forgot to report is not met by
        // chance.
        if self.now >= self.state.context.nextCheck { self.state.advance(to: self.now) }
        self.perform()
    }

    func drain() {
        self.state.drain()
        self.perform()
    }

    func endDraining() {
        self.state.endDraining()
        self.perform()
    }

    func keptWriteFailed(_ kept: KeptID) {
        self.state.keptWriteFailed(kept, reason: "no memory")
        self.perform()
    }

    func unread(_ count: Int, of peer: PeerID, isHeldUp: Bool = false, hasRead: Bool = false) {
        self.state.advance(to: self.now)
        self.state.unread(count, of: peer, isHeldUp: isHeldUp, hasRead: hasRead)
        self.perform()
    }

    func partial(_ count: Int, of peer: PeerID) {
        self.state.advance(to: self.now)
        self.state.partial(count, of: peer)
        self.perform()
    }

    // Wrapped state: `#expect` cannot use the parts of a noncopyable value.

    var held: BrokerState.Held { self.state.held }
    var isDraining: Bool { self.state.isDraining }
    var isDrained: Bool { self.state.isDrained }

    var unclosedDescriptors: UInt64 {
        get { self.state.context.unclosedDescriptors }
        set { self.state.setUnclosedDescriptors(newValue) }
    }

    // MARK: Sending

    func send(_ message: some WireMessage, on stream: UInt64, from peer: PeerID) {
        var encoder = FrameEncoder()
        encoder.append(message, stream: stream)
        self.sendBytes(encoder.bytes, from: peer)
    }

    func data(_ bytes: [UInt8], last: Bool = false, on stream: UInt64, from peer: PeerID) {
        var encoder = FrameEncoder()
        encoder.appendData(bytes, stream: stream, flags: last ? .last : [])
        self.sendBytes(encoder.bytes, from: peer)
    }

    func data(count: Int, last: Bool = false, on stream: UInt64, from peer: PeerID) {
        var rest = count
        repeat {
            let piece = min(rest, WireLimits.dataLength)
            rest -= piece
            let bytes = [UInt8](repeating: 7, count: piece)
            self.data(bytes, last: last && rest == 0, on: stream, from: peer)
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
        self.sendBytes(encoder.bytes + payload, from: peer)
    }

    /// Sends a frame that announces one descriptor, with the descriptor that came with it.
    func pass(
        _ descriptor: ReceivedDescriptor?,
        kind: FrameKind,
        payload: [UInt8] = [],
        on stream: UInt64,
        from peer: PeerID
    ) {
        self.received = descriptor
        self.raw(kind: kind.rawValue, flags: 1, descriptors: 1, payload: payload, on: stream, from: peer)
        self.received = nil
    }

    func sendBytes(_ bytes: [UInt8], from peer: PeerID) {
        self.state.advance(to: self.now)
        self.perform()
        var offset = 0
        while var decoder = self.decoders[peer] {
            let piece: FrameChunk?
            do {
                piece = try decoder.next(in: bytes.span, at: &offset)
            } catch {
                self.state.violated(peer, error)
                self.perform()
                return
            }
            self.decoders[peer] = decoder
            guard let piece else { return }
            self.process(piece, Array(bytes[piece.payload]), from: peer)
        }
    }

    private func process(_ piece: FrameChunk, _ payload: [UInt8], from peer: PeerID) {
        guard piece.header.rawKind == FrameKind.data.rawValue, piece.header.descriptorCount == 0 else {
            self.state.received(piece.header, payload.span, descriptor: self.received, from: peer)
            self.decoders[peer]?.limitBeforeHello = nil
            return self.perform()
        }
        let stream = piece.header.stream
        let verdict = self.state.relay(stream: stream, count: payload.count, last: piece.endsSequence, from: peer)
        self.collect()
        switch verdict {
        case .forward(let destination, let target, let load, let length, let last):
            #expect(length == WireLimits.dataLength || length == WireLimits.sharedDataLength)
            self.moved[stream, default: 0] += UInt64(payload.count)
            self.receive(Frame(data: payload, last: last, stream: target), at: destination)
            self.queued(load, payload.count, at: destination)
        case .keep(let kept):
            self.memory[kept, default: []].append(contentsOf: payload)
        case .cache(let kept, let last):
            self.moved[stream, default: 0] += UInt64(payload.count)
            #expect(!self.sealed.contains(kept), "sealed memory takes no more bytes")
            guard !self.isMemoryFull else {
                self.state.keptWriteFailed(kept, reason: "no memory")
                break
            }
            self.memory[kept, default: []].append(contentsOf: payload)
            self.state.stored(kept, count: payload.count, last: last)
        case .drop, .closing:
            break
        }
        self.perform()
    }

    // MARK: Delivering

    private func queued(_ load: LoadID, _ count: Int, at destination: PeerID) {
        if self.deliversAtOnce {
            self.state.delivered(load, count: count)
        } else {
            self.undelivered[destination, default: []].append((load, count))
        }
    }

    /// Lets the peer's socket take the bytes that wait for it.
    func deliver(to peer: PeerID) {
        for (load, count) in self.undelivered.removeValue(forKey: peer) ?? [] {
            self.state.delivered(load, count: count)
            self.perform()
        }
    }

    // MARK: Performing

    private func perform() {
        self.collect()
        while let chunk = self.state.nextKeptChunk() {
            self.collect()
            let bytes = self.memory[chunk.kept] ?? []
            let start = Int(chunk.offset)
            guard start + chunk.count <= bytes.count else {
                Issue.record("a chunk lies outside of the kept bytes")
                return
            }
            let frame = Frame(data: Array(bytes[start..<start + chunk.count]), last: chunk.last, stream: chunk.stream)
            self.receive(frame, at: chunk.destination)
            self.queued(chunk.load, chunk.count, at: chunk.destination)
            if chunk.last { self.state.keptLoadQueued(chunk.load) }
            self.collect()
        }
        self.collect()
    }

    private func collect() {
        var outbox = Outbox()
        self.state.exchangeOutbox(with: &outbox)
        for send in outbox.sends {
            let bytes = Array(outbox.frames.bytes[send.bytes])
            guard let header = FrameHeader(bytes.span, at: 0), let kind = header.kind else {
                Issue.record("the broker sent no frame")
                continue
            }
            let payload = Array(bytes.dropFirst(FrameHeader.byteCount))
            #expect(Int(header.length) == payload.count)
            let isLast = header.flags.contains(.last)
            var frame = Frame(kind: kind, stream: header.stream, payload: payload, last: isLast, order: send.order)
            frame.passing = send.passing?.descriptor
            if case .kept(let kept)? = frame.passing {
                let isSealed = self.sealed.contains(kept) || outbox.effects.contains(.sealKept(kept))
                #expect(isSealed || self.adopted.contains(kept), "only sealed memory is handed out")
            }
            #expect((frame.passing != nil) == (header.descriptorCount == 1))
            if let passing = send.passing, self.refusesDescriptors {
                self.state.passingRefused(passing.load)
                self.collect()
                continue
            }
            if let passing = send.passing { self.queued(passing.load, 0, at: send.peer) }
            if kind == .ask { self.granted[header.stream] = frame.decode(Ask.self).credit ?? 0 }
            if kind == .credit { self.granted[header.stream] = frame.decode(Credit.self).offset ?? 0 }
            self.receive(frame, at: send.peer)
        }
        for effect in outbox.effects { self.perform(effect) }
    }

    private func perform(_ effect: Outbox.Effect) {
        switch effect {
        case .log(let removal):
            self.removals.append(removal)
        case .close(let peer):
            #expect(self.closed.insert(peer).inserted, "a peer is closed once")
            self.forget(peer)
        case .passDescriptors(let peer):
            #expect(self.passing.insert(peer).inserted, "descriptors are negotiated once")
            self.decoders[peer]?.takesDescriptors = true
        case .adoptKept(let kept):
            guard case .sealedMemory(let count) = self.received, self.memory[kept] == nil else {
                Issue.record("only sealed memory is taken over, and in place of all bytes")
                return
            }
            self.memory[kept] = [UInt8](repeating: 7, count: Int(count))
            self.adopted.insert(kept)
        case .sealKept(let kept):
            self.sealed.insert(kept)
        case .closeKept(let kept):
            #expect(self.closedKept.insert(kept).inserted, "kept bytes are closed once")
            self.memory[kept] = nil
            self.adopted.remove(kept)
            self.sealed.remove(kept)
        case .stopListening:
            self.stoppedListening = true
        }
    }

    private func receive(_ frame: Frame, at peer: PeerID) {
        self.digests[peer, default: FrameDigest()].add(frame)
        self.inboxes[peer, default: []].append(frame)
    }

    private func forget(_ peer: PeerID) {
        self.decoders[peer] = nil
        self.undelivered[peer] = nil
    }

    /// The next id with which the peer may open a stream.
    func newStream(of peer: PeerID) -> UInt64 {
        let stream = self.nextStreams[peer] ?? 1
        self.nextStreams[peer] = stream + 2
        return stream
    }
}
