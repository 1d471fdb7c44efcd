package import PasteboardWire

/// Who has what, and who waits for what: everything that the broker decides, without a socket, a clock or a thread.
///
/// Inputs are mutating methods: a peer came, sent a frame, took bytes, went; time passed. What is to be done about it
/// stands in `outbox` afterwards, which whoever drives the state performs and empties before the next input. Bytes of
/// a load take a shorter way: `relay` says where they go, and the driver moves them there without the state seeing
/// them. Whatever a peer sends is answered, dropped or ends that peer; nothing of it can trap.
///
/// Times are milliseconds of a clock that does not jump.
package struct BrokerState: ~Copyable, Sendable {
    var context: BrokerContext
    /// The process id that `welcome` tells.
    let process: UInt32
    let programVersion: String

    package internal(set) var isDraining = false
    var drainEnds: UInt64?
    /// The time at which the last connection ended, or the start of the broker; nil while a program is connected.
    var idleSince: UInt64?

    var peers = SlotTable<Peer>()
    var routes = SlotTable<Route>()
    var writes = SlotTable<PendingWrite>()
    var contents: Contents
    var boards: [String: Board] = [:]
    var sessions = Sessions()

    /// The change count of a board that nobody has changed. It grows past that of every board that is forgotten, so
    /// that no name goes back.
    var firstChangeCount: UInt64
    /// Bytes of the transfer pool that loads occupy.
    var inTransfer: UInt64 = 0
    /// Loads for which a descriptor may come or is on its way.
    var passing: UInt64 = 0
    /// Loads of kept contents that have bytes to send and credit to send them.
    var readyKept: [RouteID] = []
    /// Fills whose loads are to be woken.
    var readyFills: [KeptID] = []

    package init(
        limits: BrokerLimits,
        epoch: UInt64,
        firstChangeCount: UInt64,
        process: UInt32 = 0,
        programVersion: String = ""
    ) {
        self.context = BrokerContext(limits: limits, epoch: epoch)
        self.firstChangeCount = firstChangeCount
        self.process = process
        self.programVersion = programVersion
        // The idle time counts from the start: no program may ever connect.
        if limits.idleExit > 0 { self.context.check(by: 1) }
        self.contents = Contents(epoch: epoch)
    }

    /// Takes what the outbox holds; `emptied`, whose memory is used again, becomes the outbox.
    package mutating func exchangeOutbox(with emptied: inout Outbox) {
        emptied.removeAll()
        swap(&self.outbox, &emptied)
    }

    /// Lets time pass, and ends what has waited too long.
    package mutating func advance(to now: UInt64) {
        self.now = max(self.now, now)
        if self.now >= self.nextCheck { self.checkDeadlines() }
    }

    // MARK: Peers

    /// A process has connected. It has until the hello deadline to say who it is.
    package mutating func connected(_ process: ProcessKey) -> PeerID {
        do throws(Failure) {
            guard UInt64(self.peers.count) < self.limits.connections else {
                throw Failure(
                    .limitExceeded,
                    "the broker has \(self.peers.count) connections; limit connections is \(self.limits.connections)"
                )
            }
            let account = try self.accounting.connect(
                process,
                limit: self.limits.connectionsPerProcess,
                free: self.limits.connections - UInt64(self.peers.count)
            )
            let deadline = self.now.addingClamped(self.limits.hello)
            self.check(by: deadline)
            self.counters.connections += 1
            self.idleSince = nil
            return self.peers.insert(
                Peer(
                    viewer: Viewer(process: process),
                    account: account,
                    helloDeadline: deadline,
                    maximumAsks: Int(clamping: self.limits.asksPerSource)
                )
            )
        } catch {
            // An id that stands for nobody: enough to tell the connection why it is closed.
            let peer = self.peers.insertAndRemove(process)
            self.outbox.send(error, to: peer, stream: 0)
            self.outbox.perform(.log(PeerRemoval(.refused, process: process.pid, error)))
            self.outbox.perform(.close(peer))
            return peer
        }
    }

    /// Nothing can be sent to a peer any more. What it has sent is still put in, before it is `disconnected`.
    package mutating func stoppedReading(_ peer: PeerID) {
        self.peers.update(peer) { $0.isDeaf = true }
    }

    /// The connection has ended, after everything that it had sent was put in: ends all that depended on it.
    package mutating func disconnected(_ id: PeerID) {
        // Sessions first: what their loads end with is said in the sessions' own words.
        let orphans = self.endSessions(of: id)
        guard let peer = self.peers[id] else { return }
        if peer.openLoads > 0 || peer.openAsks > 0 || !peer.waitingAsks.isEmpty {
            self.endRoutes(of: id, name: peer.name)
        }
        for (_, stream) in peer.streams.sorted(by: { $0.key < $1.key }) {
            switch stream {
            case .write(let write): self.discard(write)
            case .publication(let publication): self.ownerLeft(publication)
            case .wait(let wait): self.waitLeft(wait)
            case .drag, .destination: break
            }
        }
        for orphan in orphans { self.ownerLeft(orphan) }
        self.peers.remove(id)
        self.accounting.queue(0, insteadOf: peer.backlog.count, for: peer.account)
        self.accounting.disconnect(peer.account)
        self.checkIdleness()
    }

    /// Ends a peer that broke the rules: it is told why, and everything of it ends as if it had died.
    mutating func violation(by peer: PeerID, _ failure: Failure) {
        self.counters.violations += 1
        if let peer = self.peers[peer] {
            let removal = PeerRemoval(.ended, process: peer.process.pid, name: peer.name, failure)
            self.outbox.perform(.log(removal))
        }
        self.outbox.send(failure, to: peer, stream: 0)
        self.close(peer)
    }

    /// Bytes of a peer that are no frames: it is told, and ended.
    package mutating func violated(_ peer: PeerID, _ failure: Failure) {
        guard self.peers.holds(peer) else { return }
        self.violation(by: peer, failure)
    }

    mutating func close(_ peer: PeerID) {
        self.disconnected(peer)
        self.outbox.perform(.close(peer))
    }

    // MARK: Frames

    /// A whole frame that is not bytes: `descriptor` says what came with it if its header counts one.
    package mutating func received(
        _ header: FrameHeader,
        _ payload: Span<UInt8>,
        descriptor: ReceivedDescriptor? = nil,
        from peer: PeerID
    ) {
        guard self.peers.holds(peer) else { return }
        do throws(Failure) {
            try self.dispatch(header, payload, descriptor, from: peer)
        } catch {
            self.violation(by: peer, error)
        }
    }

    private mutating func dispatch(
        _ header: FrameHeader,
        _ payload: Span<UInt8>,
        _ descriptor: ReceivedDescriptor?,
        from peer: PeerID
    ) throws(Failure) {
        if header.descriptorCount > 0 {
            guard let descriptor, self.peers[peer]?.passesDescriptors == true else {
                throw Failure(.protocolViolation, "a frame announces descriptors, which were not negotiated")
            }
            return try self.passed(descriptor, header, payload, from: peer)
        }
        if header.kind == .hello || self.peers[peer]?.helloDeadline != nil {
            return try self.hello(header, payload, from: peer)
        }
        guard let kind = header.kind else {
            guard header.flags.contains(.mustUnderstand) else { return }
            return try self.refuseUnknown(header, from: peer)
        }
        switch kind {
        case .write, .load, .list, .clear, .status, .stop, .drag, .destination, .wait:
            try self.open(header.stream, by: peer)
            self.request(kind, stream: header.stream, payload, from: peer)
        case .item, .commit:
            try self.continueWrite(kind, stream: header.stream, payload, from: peer)
        case .progress where DestinationSessionID(stream: header.stream) != nil:
            try self.fromDestinationSession(kind, stream: header.stream, payload, from: peer)
        case .answer, .end, .error, .progress:
            try self.fromSource(kind, stream: header.stream, payload, from: peer)
        case .credit:
            try self.credit(stream: header.stream, payload, from: peer)
        case .cancel:
            try self.cancel(stream: header.stream, from: peer)
        case .begin, .move, .drop:
            try self.fromDragSource(kind, stream: header.stream, payload, from: peer)
        case .performed, .conclude, .exit, .proposal:
            try self.fromDestinationSession(kind, stream: header.stream, payload, from: peer)
        case .enter:
            try self.enter(stream: header.stream, payload, from: peer)
        case .hello, .welcome, .ask, .committed, .contents, .statusEntry, .registered, .session, .update, .perform,
            .dropped, .transferred, .data:
            throw Failure(.protocolViolation, "a client does not send \(kind)")
        }
    }

    /// A kind that this broker does not know, but has to: what the frame's stream stands for ends with the refusal.
    private mutating func refuseUnknown(_ header: FrameHeader, from peer: PeerID) throws(Failure) {
        let failure = Failure(
            .versionMismatch,
            "this broker does not know frames of kind \(header.rawKind); update it"
        )
        let stream = header.stream
        guard stream != 0 else { throw failure }
        if let id = self.load(on: stream, of: peer) { return self.fail(id, failure, tellSource: true) }
        switch self.peers[peer]?.streams[stream] {
        case .write(let id): return self.refuse(id, failure)
        case .publication(let id):
            self.peers.update(peer) { $0.streams[stream] = nil }
            self.ownerLeft(id)
        case .drag(let id): self.sourceLeft(id)
        case .destination(let id): self.destinationLeft(id)
        case .wait(let id): self.waitLeft(id)
        case nil where DestinationSessionID(stream: stream) != nil:
            return try self.cancelDestinationSession(stream: stream, of: peer)
        case nil where stream & 1 == 1:
            guard let highest = self.peers[peer]?.highestStream, stream > highest else { return }
            // It may have been meant to open the stream: what else comes on it is late.
            self.peers.update(peer) { $0.highestStream = stream }
        case nil:
            guard let route = try self.openAsk(stream, of: peer) else { return }
            self.fail(
                RouteID(askStream: stream),
                Failure(.sourceFailed, "\(self.sourceName(route)) speaks a newer protocol")
            )
        }
        self.outbox.send(failure, to: peer, stream: stream)
    }

    private mutating func hello(
        _ header: FrameHeader,
        _ payload: Span<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        guard header.kind == .hello, header.stream == 0, self.peers[peer]?.helloDeadline != nil else {
            throw Failure(.protocolViolation, "hello comes first, once, and on stream 0")
        }
        let hello = try Hello(decoding: payload)
        let version = UInt32(FrameHeader.version)
        let lowest = hello.minimumVersion ?? 1
        let highest = hello.maximumVersion ?? 1
        guard lowest <= version, version <= highest else {
            throw Failure(
                .versionMismatch,
                "the client speaks versions \(lowest) to \(highest), this broker \(version); update the older of the two"
            )
        }
        // Its text must not show the token.
        guard hello.groups.allSatisfy({ (1...WireLimits.name).contains($0.utf8.count) }) else {
            throw Failure(.invalidArgument, "the token of a group has 1 to \(WireLimits.name) bytes")
        }
        self.peers.update(peer) {
            $0.helloDeadline = nil
            $0.viewer.isLink = (hello.role ?? .program) != .program
            $0.viewer.groups = hello.groups
        }
        self.peers.update(peer) { $0.label = (hello.label ?? "").printable.prefix(utf8Count: WireLimits.name) }
        if let asks = hello.maximumStreams {
            let most = Int(clamping: max(1, min(UInt64(asks), self.limits.asksPerSource)))
            self.peers.update(peer) { $0.maximumAsks = most }
        }
        var welcome = Welcome()
        welcome.version = version
        welcome.features = Feature.allCases.map(\.rawValue).filter(hello.features.contains)
        if self.unclosedDescriptors >= self.limits.passedDescriptors {
            welcome.features.removeAll { $0 == Feature.descriptors.rawValue }
        }
        welcome.epoch = self.epoch
        welcome.maximumStreams = UInt32(clamping: self.limits.loadsPerConnection)
        welcome.keptPool = self.limits.keptPool
        welcome.keptFree = self.peers[peer].map { self.accounting.room(for: $0.account, of: \.bytes) }
        welcome.firstByteMilliseconds = self.limits.firstByte
        welcome.progressMilliseconds = self.limits.progress
        welcome.process = self.process
        welcome.programVersion = self.programVersion
        self.outbox.send(welcome, to: peer, stream: 0)
        self.peers.update(peer) { $0.hearsOfDrops = welcome.features.contains(Feature.dropReports.rawValue) }
        guard welcome.features.contains(Feature.descriptors.rawValue) else { return }
        self.peers.update(peer) { $0.passesDescriptors = true }
        self.outbox.perform(.passDescriptors(peer))
    }

    /// Client streams are odd and only grow: what was is never meant again.
    private mutating func open(_ stream: UInt64, by peer: PeerID) throws(Failure) {
        guard stream & 1 == 1, let highest = self.peers[peer]?.highestStream, stream > highest else {
            throw Failure(.protocolViolation, "stream \(stream) cannot be opened: ids are odd and grow")
        }
        self.peers.update(peer) { $0.highestStream = stream }
    }

    /// What fails here fails the request, not the connection.
    private mutating func request(_ kind: FrameKind, stream: UInt64, _ payload: Span<UInt8>, from peer: PeerID) {
        do throws(Failure) {
            guard !self.isDraining else {
                throw Failure(.brokerRestarted, "the broker is shutting down; try again")
            }
            let isDeaf = self.peers[peer]?.isDeaf == true
            switch kind {
            case .load where isDeaf, .list where isDeaf, .status where isDeaf, .wait where isDeaf: return
            case .write: try self.beginWrite(try Write(decoding: payload), stream: stream, from: peer)
            case .load: try self.beginLoad(try Load(decoding: payload), stream: stream, from: peer)
            case .list: try self.list(try List(decoding: payload), stream: stream, for: peer)
            case .drag: try self.beginDrag(try Drag(decoding: payload), stream: stream, from: peer)
            case .destination: try self.register(try Destination(decoding: payload), stream: stream, from: peer)
            case .wait: try self.wait(try Wait(decoding: payload), stream: stream, for: peer)
            case .clear: try self.clear(try Clear(decoding: payload), stream: stream, from: peer)
            case .status: try self.status(try Status(decoding: payload), stream: stream, for: peer)
            default: try self.stop(try Stop(decoding: payload), stream: stream, from: peer)
            }
        } catch {
            self.outbox.send(error, to: peer, stream: stream)
        }
    }

    /// Whether a frame on a client's stream that is not open is merely late; throws if the stream never was.
    func checkIsLate(_ stream: UInt64, of peer: PeerID) throws(Failure) {
        guard stream & 1 == 1, let highest = self.peers[peer]?.highestStream, stream <= highest else {
            throw Failure(.protocolViolation, "stream \(stream) was never opened")
        }
    }

    /// Whether a frame on one of the broker's streams is merely late; throws if the broker never opened it.
    func checkIsLateAsk(_ stream: UInt64) throws(Failure) {
        guard stream & 1 == 0, self.routes.hasIssued(RouteID(askStream: stream)) else {
            throw Failure(.protocolViolation, "stream \(stream) was never opened")
        }
    }
}

// The context's, for files that are not converted yet.
extension BrokerState {
    package var limits: BrokerLimits {
        @inline(__always) _read { yield context.limits }
    }
    var epoch: UInt64 { context.epoch }
    var now: UInt64 {
        get { context.now }
        set { context.now = newValue }
    }
    /// No deadline lies before this time.
    package var nextCheck: UInt64 {
        get { context.nextCheck }
        set { context.nextCheck = newValue }
    }
    var publications: SlotTable<Publication> {
        @inline(__always) _read { yield contents.publicationTable }
        @inline(__always) _modify { yield &contents.publicationTable }
    }
    var kept: SlotTable<KeptBytes> {
        @inline(__always) _read { yield contents.keptTable }
        @inline(__always) _modify { yield &contents.keptTable }
    }
    package var outbox: Outbox {
        _read { yield context.outbox }
        _modify { yield &context.outbox }
    }
    var accounting: Accounting {
        _read { yield context.accounting }
        _modify { yield &context.accounting }
    }
    var counters: Counters {
        get { context.counters }
        _modify { yield &context.counters }
    }

    package var unclosedDescriptors: UInt64 {
        get { context.unclosedDescriptors }
        set { context.unclosedDescriptors = newValue }
    }

    mutating func check(by deadline: UInt64) { context.check(by: deadline) }
}

extension SlotTable<Peer> {
    /// An id that finds nothing, now or later.
    fileprivate mutating func insertAndRemove(_ process: ProcessKey) -> ID {
        let id = self.insert(
            Peer(
                viewer: Viewer(process: process),
                account: .init(slot: 0, generation: 0),
                helloDeadline: nil,
                maximumAsks: 0
            )
        )
        self.remove(id)
        return id
    }
}

extension String {
    /// Without control characters, which would reach terminals.
    var printable: String {
        String(
            String.UnicodeScalarView(
                self.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
            )
        )
    }
}
