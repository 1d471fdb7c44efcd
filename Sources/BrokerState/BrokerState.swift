package import PasteboardWire

/// The broker's decisions, without a socket, a clock or a thread: the dispatcher that joins the parts of the state.
///
/// Each part owns its tables: `Peers`, `ContentStore`, `Boards`, `Loads`, `Sessions` and `Watches`. Parts do not call
/// each other. The dispatcher calls them in the required order and acts on the results that they return. Only loads and
/// sessions need another part, the contents: they get the ``World``, which has them and the context.
///
/// Each input is a mutating method: a peer has connected, sent a frame, accepted bytes or disconnected, or time has
/// passed. Afterwards the outbox contains the resulting work. The driver performs it and empties the outbox before the
/// next input, or after the other frames of a read if the outbox is not urgent. The bytes of a load do not pass through
/// the state: `relay` returns their destination, and the driver moves them there. Every input from a peer is answered,
/// is dropped, or ends that peer. None can cause a trap.
///
/// Times are milliseconds of a clock that does not jump.
package struct BrokerState: ~Copyable, Sendable {
    /// The contents, and the context, whose limits, next check and outbox the driver reads. It is a stored property
    /// because a computed one would borrow the state, and a borrowed value of this size is copied for each call.
    package internal(set) var world: World
    var peers: Peers
    var boards: Boards
    var loads = Loads()
    var sessions = Sessions()
    var watches = Watches()

    /// Whether plain loads are read in place. A test compares the decisions with those of the general way.
    package var readsLoadsInPlace = true
    /// In a stored property for the same reason.
    package internal(set) var ending = Ending.none
    /// The requests that have stopped the broker and wait for the answer.
    var stops: [(peer: PeerID, stream: UInt64)] = []
    /// The time at which the last connection ended, or the start of the broker; nil while a program is connected.
    var idleSince: UInt64?

    package init(
        limits: BrokerLimits,
        epoch: UInt64,
        firstChangeCount: UInt64,
        process: UInt32 = 0,
        programVersion: String = ""
    ) {
        world = World(limits: limits, epoch: epoch)
        peers = Peers(process: process, programVersion: programVersion)
        boards = Boards(firstChangeCount: firstChangeCount, epoch: epoch)
        // The idle time counts from the start: no program may ever connect.
        if limits.idleExit > 0 { world.context.check(by: 1) }
    }

    // MARK: For the driver

    /// Sets the time at which the broker starts. Tests of states that start at 0 need not call it.
    package mutating func started(at now: UInt64) {
        watches.started(at: now)
    }

    /// Records that another broker has served before this one, so that its clients may write their contents again.
    package mutating func expectReclaims() {
        world.context.settlesAt = watches.settlesAt
    }

    /// Sets the number of descriptors that the driver has received and cannot close yet.
    package mutating func setUnclosedDescriptors(_ count: UInt64) {
        world.context.unclosedDescriptors = count
    }

    /// Empties `emptied` and exchanges it with the outbox, so that the memory of both is reused.
    package mutating func exchangeOutbox(with emptied: inout Outbox) {
        emptied.removeAll()
        swap(&world.context.outbox, &emptied)
    }

    /// Charges one read from a socket.
    package mutating func charge(forRead count: Int) {
        world.context.cost += Cost.read + count / Cost.bytes
    }

    /// Counts the cost of a peer's input, which is the cost since `start`, for the status.
    package mutating func spent(since start: Int, by account: Accounting.AccountID) {
        world.context.accounting.spend(world.context.cost - start, by: account)
    }

    // MARK: Peers

    /// The account of a peer's process.
    package func account(of peer: PeerID) -> Accounting.AccountID {
        peers.account(of: peer) ?? .none
    }

    /// A process has connected. It has to send hello before the deadline for it.
    package mutating func connected(_ process: ProcessKey) -> PeerID {
        do throws(Failure) {
            let peer = try peers.connect(process, &world.context)
            loads.connected(peer, process, world.context)
            idleSince = nil
            return peer
        } catch {
            let peer = peers.refuse(process, error, at: world.context.now)
            world.context.send(error, to: peer, stream: 0)
            world.context.perform(.log(PeerRemoval(.refused, process: process.pid, error)))
            world.context.perform(.close(peer))
            return peer
        }
    }

    /// The driver cannot serve a connection that was admitted.
    package mutating func failed(_ peer: PeerID, _ failure: Failure) {
        peers.setCloseReason(failure, of: peer)
        disconnected(peer)
    }

    /// A write to the peer has failed, so it is sent nothing more. The driver still passes its input to the state, and
    /// then calls `disconnected`.
    package mutating func stoppedReading(_ peer: PeerID) {
        peers.stoppedReading(peer)
    }

    /// Ends everything that depends on a connection that has ended. The driver calls it after all input of the
    /// connection has been processed.
    package mutating func disconnected(_ id: PeerID) {
        // The order determines which error a load reports: first that of its drag session, then that of its source, and
        // only then that of its publication.
        let orphans = endSessions(of: id)
        guard let slot = peers.find(id) else { return }
        loads.peerLeft(id, link: peers.isLink(at: slot) ? peers[slot].label : nil, in: &world)
        reportLoads()
        world.context.cost += Cost.disconnection
        for target in peers.targets(at: id) {
            world.context.cost += Cost.end
            switch target {
            case .write(let write): discard(write)
            case .publication(let publication): ownerLeft(publication, hasDisconnected: true)
            case .watch(let watch): endWatch(watch, of: id)
            case .board(let name): remove(name)
            case .report(let report): end(report, for: id)
            case .drag, .destination: break
            }
        }
        for orphan in orphans { ownerLeft(orphan, hasDisconnected: true) }
        reportLoads()
        loads.disconnected(id)
        peers.remove(id, &world.context)
        checkIdleness()
    }

    /// Ends a peer that broke a rule: sends it the reason, and closes its connection.
    mutating func violation(by peer: PeerID, _ failure: Failure) {
        world.context.counters.violations += 1
        if let slot = peers.find(peer) {
            let (process, name) = (peers[slot].process.pid, peers[slot].name)
            world.context.perform(.log(PeerRemoval(.ended, process: process, name: name, failure)))
            peers.setCloseReason(failure, of: peer)
        }
        endConnection(of: peer, with: failure)
        world.context.perform(.closeAfterError(peer))
    }

    /// Ends everything that depends on a peer, as if it had disconnected, after an error that is the last frame for it:
    /// it is not notified of the ends of its own streams.
    mutating func endConnection(of peer: PeerID, with failure: Failure, order: FrameOrder = .connection) {
        world.context.send(failure, to: peer, stream: 0, order: order)
        let end = world.context.outbox.end
        disconnected(peer)
        world.context.outbox.removeFrames(to: peer, after: end)
    }

    /// Ends a peer for a violation that the driver has found, such as bytes that are not frames.
    package mutating func violated(_ peer: PeerID, _ failure: Failure) {
        guard peers.holds(peer) else { return }
        violation(by: peer, failure)
    }

    /// Ends a peer that has sent an error as its last frame. Its streams end without a frame: their loads are not
    /// counted as used any more, so nothing of them may be sent.
    mutating func close(_ peer: PeerID) {
        disconnected(peer)
        world.context.perform(.closeAfterError(peer))
    }

    /// Reports the number of bytes that a peer has not read yet. See `Peers.setUnread`.
    package mutating func unread(_ count: Int, of peer: PeerID, isHeldUp: Bool, hasRead: Bool) {
        peers.setUnread(count, of: peer, isHeldUp: isHeldUp, hasRead: hasRead, &world.context)
        sessions.setUnread(UInt64(clamping: count), of: peer)
        endOverfull()
    }

    /// Reports the number of bytes of an incomplete frame that a peer has sent. The driver calls this after it has
    /// read.
    package mutating func partial(_ count: Int, of peer: PeerID) {
        peers.setPartial(count, of: peer, &world.context)
        endOverfull()
    }

    private mutating func endOverfull() {
        while let greatest = peers.overfull(world.context) { violation(by: greatest.peer, greatest.failure) }
    }

    // MARK: Frames

    /// Processes a complete frame of any kind except `data`.
    ///
    /// - Parameter descriptor: the descriptor that was passed with the frame, if its header announces one.
    package mutating func received(
        _ header: FrameHeader,
        _ payload: Span<UInt8>,
        descriptor: ReceivedDescriptor? = nil,
        from peer: PeerID
    ) {
        guard let slot = peers.find(peer) else { return }
        world.context.cost += Cost.frame
        do throws(Failure) {
            try dispatch(header, payload, descriptor, from: peer, slot)
        } catch {
            reportLoads()
            violation(by: peer, error)
        }
        reportLoads()
        makeRoom()
    }

    private mutating func dispatch(
        _ header: FrameHeader,
        _ payload: Span<UInt8>,
        _ descriptor: ReceivedDescriptor?,
        from peer: PeerID,
        _ slot: Peers.Slot
    ) throws(Failure) {
        let stream = PeerStream(id: header.stream, peer: peer, slot: slot)
        if header.descriptorCount > 0 {
            guard let descriptor, peers[slot].passesDescriptors else {
                throw Failure(.protocolViolation, "a frame announces descriptors, which were not negotiated")
            }
            return try passed(descriptor, header, payload, on: stream)
        }
        if header.kind == .hello || peers.awaitsHello(slot) {
            return try hello(header, payload, from: peer)
        }
        guard let kind = header.kind else {
            guard header.flags.contains(.mustUnderstand) else { return }
            return try refuseUnknown(header, on: stream)
        }
        try Self.checkSort(of: stream.id, fits: kind)
        switch kind {
        case .write, .load, .list, .clear, .status, .stop, .drag, .destination, .watch, .createBoard:
            world.context.cost += Cost.request
            try peers.open(stream.id, by: slot)
            request(kind, payload, on: stream)
        case .item, .commit:
            world.context.cost += payload.count / Cost.metadata
            try continueWrite(kind, payload, on: stream)
        case .progress where DestinationSessionID(stream: stream.id) != nil:
            try fromDestination(kind, payload, on: stream)
        case .inline:
            _ = try Inline(decoding: payload)
            peers.endDescriptors(slot)
            loads.endDescriptors(peer)
        case .error where stream.id == 0:
            close(peer)
        case .error where StreamID(stream.id).sort != .ask:
            try cancel(kind, payload, on: stream)
        case .answer, .end, .error, .progress:
            let isLink = peers.isLink(at: stream.slot)
            try loads.handle(kind, on: stream.id, payload, from: peer, isLink: isLink, in: &world)
        case .credit:
            guard !loads.credit(on: stream.id, payload, from: peer, in: &world) else { return }
            try creditWatch(payload, on: stream)
        case .cancel:
            try cancel(kind, payload, on: stream)
        case .begin, .move, .drop:
            world.context.cost += Cost.request + payload.count / Cost.metadata
            try fromDragSource(kind, payload, on: stream)
        case .performed, .conclude, .exit, .proposal:
            world.context.cost += payload.count / Cost.metadata
            try fromDestination(kind, payload, on: stream)
        case .hello, .welcome, .ask, .committed, .contents, .statusEntry, .registered, .session, .enter, .update,
            .perform, .dropped, .transferred, .change, .data:
            // None of them fits a sort of stream.
            throw Self.misplaced(kind, on: stream.id)
        }
    }

    /// Throws if a client must not send the kind on this sort of stream, open or not.
    @inline(__always)
    static func checkSort(of stream: UInt64, fits kind: FrameKind) throws(Failure) {
        guard kind.fits(StreamID(stream).sort) else { throw misplaced(kind, on: stream) }
    }

    @inline(never)
    private static func misplaced(_ kind: FrameKind, on stream: UInt64) -> Failure {
        Failure(.protocolViolation, "\(kind) must not be sent on stream \(stream)")
    }

    private mutating func hello(_ header: FrameHeader, _ payload: Span<UInt8>, from peer: PeerID) throws(Failure) {
        guard header.kind == .hello, header.stream == 0, let slot = peers.find(peer), peers.awaitsHello(slot) else {
            throw Failure(.protocolViolation, "hello has to be the first frame, on stream 0, and is sent only once")
        }
        let hello = try Hello(decoding: payload)
        try peers.greet(hello, from: peer, &world.context)
        loads.greeted(
            peer,
            name: peers[slot].name,
            maximumStreams: hello.maximumStreams,
            passesDescriptors: peers[slot].passesDescriptors,
            world.context
        )
    }

    // MARK: Bytes in transfer, for which nothing is allocated

    /// Receives `count` bytes of a data frame, the last of their sequence if `last` is set. The verdict says where the
    /// driver moves them. An urgent outbox is performed before that; the load's answer only has to precede the bytes at
    /// the socket.
    package mutating func relay(stream: UInt64, count: Int, last: Bool, from peer: PeerID) -> RelayVerdict {
        guard let slot = peers.find(peer) else { return .closing }
        world.context.cost += Cost.frame
        do throws(Failure) {
            guard !peers.awaitsHello(slot) else { throw Failure(.protocolViolation, "hello has to be the first frame") }
            guard StreamID(stream).isOpenedByBroker else {
                return try receive(count, last: last, on: PeerStream(id: stream, peer: peer, slot: slot))
            }
            let verdict = try loads.receive(on: stream, count: count, last: last, from: peer, in: &world)
            reportLoads()
            return verdict
        } catch {
            reportLoads()
            violation(by: peer, error)
            return .closing
        }
    }

    /// Receives data on a stream that the client opened: bytes of the next kept representation of a write.
    private mutating func receive(_ count: Int, last: Bool, on stream: PeerStream) throws(Failure) -> RelayVerdict {
        guard case .write(let id)? = peers.knownTarget(of: stream.id, at: stream.slot) else {
            try checkHasEnded(stream, for: .data)
            return .drop
        }
        do throws(Failure) {
            let kept = try world.contents.receive(UInt64(count), last: last, for: id, &world.context)
            return .keep(kept)
        } catch {
            guard error.code != .protocolViolation else { throw error }
            refuse(id, error)
            return .drop
        }
    }

    /// The destination's socket has taken bytes of a load or its descriptor.
    package mutating func delivered(_ id: LoadID, count: Int) {
        loads.delivered(id, count: count, in: &world)
        reportLoads()
    }

    /// The system did not pass a descriptor on, and its frame has been dropped.
    package mutating func passingRefused(_ id: LoadID) {
        loads.passingRefused(id, in: &world)
        reportLoads()
    }
}
