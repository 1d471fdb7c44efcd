import PasteboardWire

// Frames on streams that are open, and the end of streams.
extension BrokerState {
    // MARK: Writes

    mutating func continueWrite(_ kind: FrameKind, _ payload: Span<UInt8>, on stream: PeerStream) throws(Failure) {
        guard let id = try write(on: stream, for: kind) else { return }
        try world.contents.checkNothingAwaited(by: id)
        do throws(Failure) {
            if kind == .item {
                guard payload.count <= WireLimits.itemLength else {
                    let text =
                        "an item of a write has \(payload.count) bytes; at most \(WireLimits.itemLength) are allowed"
                    throw Failure(.limitExceeded, text)
                }
                let item = try Item(decoding: payload)
                try world.contents.add(item, metadata: UInt64(payload.count), to: id, &world.context)
            } else {
                try commit(id, try Commit(decoding: payload), on: stream)
            }
        } catch {
            refuse(id, error)
        }
    }

    /// The write on a client's stream; nil if the frame is late.
    private func write(on stream: PeerStream, for kind: FrameKind) throws(Failure) -> WriteID? {
        guard case .write(let id)? = peers.knownTarget(of: stream.id, at: stream.slot) else {
            try checkHasEnded(stream, for: kind)
            return nil
        }
        return id
    }

    /// Throws unless a client's stream has ended, so that a frame on it is late. Called if no open object of the stream
    /// takes the frame.
    func checkHasEnded(_ stream: PeerStream, for kind: FrameKind) throws(Failure) {
        if peers.knownTarget(of: stream.id, at: stream.slot) != nil || loads.load(on: stream.id, of: stream.peer) != nil
        {
            throw Failure(.protocolViolation, "\(kind) does not fit the state of stream \(stream.id)")
        }
        try peers.checkIsLate(stream.id, at: stream.slot)
    }

    /// Ends a write with an error. Later frames on its stream are late.
    mutating func refuse(_ id: WriteID, _ failure: Failure) {
        guard let writer = discard(id) else { return }
        world.context.send(failure, to: writer.peer, stream: writer.stream)
    }

    @discardableResult
    mutating func discard(_ id: WriteID) -> (peer: PeerID, stream: UInt64)? {
        guard let writer = world.contents.discard(id, &world.context) else { return nil }
        peers.setTarget(nil, of: writer.stream, at: writer.peer)
        return writer
    }

    // MARK: Descriptors

    /// Handles a frame with a descriptor: a source's answer that is the whole load, or a client's kept bytes.
    mutating func passed(
        _ descriptor: ReceivedDescriptor,
        _ header: FrameHeader,
        _ payload: Span<UInt8>,
        on stream: PeerStream
    ) throws(Failure) {
        switch header.kind {
        case .answer:
            try Self.checkSort(of: stream.id, fits: .answer)
            try loads.receive(descriptor, on: stream.id, payload, from: stream.peer, in: &world)
        case .data:
            guard let id = try write(on: stream, for: .data) else { return }
            do throws(Failure) {
                try world.contents.receive(descriptor, for: id, &world.context)
            } catch {
                guard error.code != .protocolViolation else { throw error }
                refuse(id, error)
            }
        default:
            throw Failure(.protocolViolation, "frames of kind \(header.rawKind) must not pass descriptors")
        }
    }

    // MARK: Ends

    /// Handles a cancel of a request or of a session at a destination. An error there has the same effect.
    mutating func cancel(_ kind: FrameKind, _ payload: Span<UInt8>, on stream: PeerStream) throws(Failure) {
        guard StreamID(stream.id).isOpenedByClient else {
            guard try sessions.isOpen(stream.id, at: stream.peer) else { return }
            try Cancel.check(payload, of: kind)
            return try cancelDestinationSession(on: stream)
        }
        if try loads.cancel(by: kind, on: stream.id, payload, from: stream.peer, in: &world) { return }
        guard let target = peers.knownTarget(of: stream.id, at: stream.slot) else {
            return try peers.checkIsLate(stream.id, at: stream.slot)
        }
        try Cancel.check(payload, of: kind)
        end(target, on: stream)
    }

    /// Ends the object of a client's stream.
    private mutating func end(_ target: StreamTarget, on stream: PeerStream) {
        switch target {
        case .write(let id): discard(id)
        case .publication(let id):
            peers.setTarget(nil, of: stream.id, at: stream.peer)
            ownerLeft(id)
        case .drag(let id): sourceLeft(id)
        case .destination(let id): destinationLeft(id)
        case .watch(let id): endWatch(id, of: stream.peer)
        case .board(let name): remove(name)
        case .report(let report): self.end(report, for: stream.peer)
        }
    }

    /// The source of a publication has withdrawn it, or its connection has ended. Loads of promises end; kept bytes
    /// stay, except those of a link, whose contents can come back with their origin. Those of a bridge can, too; they
    /// end if the broker has kept none of their bytes. A link that withdraws contents finishes the loads that have
    /// begun: it has heard of the end before the last bytes.
    ///
    /// - Parameter hasDisconnected: whether the loads of the source's promises have ended already.
    mutating func ownerLeft(_ id: PublicationID, hasDisconnected: Bool = false) {
        guard world.contents.ownerLeft(id, &world.context), let slot = world.contents.find(id) else { return }
        let isOnBoard = world.contents[slot].isCurrent && world.contents[slot].session == nil
        let writer = world.contents[slot].writer
        let endsAsWhole = writer.isLink || writer.carriesOrigins && !world.contents.hasKeptBytes(slot)
        if isOnBoard, !endsAsWhole, world.contents.losePromises(of: slot) {
            versionChanged(of: world.contents[slot].boardName)
        }
        if world.contents[slot].openLoads > 0, !hasDisconnected, !(isOnBoard && writer.isLink) {
            let failure = Failure(.sourceGone, "source \(world.contents[slot].ownerName) has withdrawn its contents")
            loads.failPromised(of: id, with: failure, in: &world)
        }
        guard isOnBoard, endsAsWhole else { return world.contents.removeIfUnused(id, &world.context) }
        set(world.contents[slot].boardName, to: nil, reason: .cleared)
    }

    /// Refuses a frame of an unknown kind with the flag `mustUnderstand`: the object of the frame's stream ends with an
    /// error.
    mutating func refuseUnknown(_ header: FrameHeader, on stream: PeerStream) throws(Failure) {
        let text = "this broker does not know frames of kind \(header.rawKind); update the broker"
        let failure = Failure(.versionMismatch, text)
        guard stream.id != 0 else { throw failure }
        if loads.fail(on: stream.id, of: stream.peer, with: failure, in: &world) { return }
        switch peers.knownTarget(of: stream.id, at: stream.slot) {
        case .write(let id): return refuse(id, failure)
        case .some(let target): end(target, on: stream)
        case nil where DestinationSessionID(stream: stream.id) != nil:
            guard try sessions.isOpen(stream.id, at: stream.peer) else { return }
            try cancelDestinationSession(on: stream)
        case nil where StreamID(stream.id).isOpenedByClient:
            guard stream.id > peers[stream.slot].highestStream else { return }
            // The frame may have been meant to open the stream. Later frames on it are late.
            peers.skip(stream.id, at: stream.slot)
        case nil:
            guard try loads.failAsOutdated(on: stream.id, of: stream.peer, in: &world) else { return }
        }
        world.context.send(failure, on: stream)
    }
}

extension Cancel {
    /// Throws if the payload of a cancel, or of an error with its effect, is malformed.
    static func check(_ payload: Span<UInt8>, of kind: FrameKind) throws(Failure) {
        if kind == .cancel { _ = try Cancel(decoding: payload) } else { _ = try Failure(decoding: payload) }
    }
}
