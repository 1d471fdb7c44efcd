import PasteboardWire

// Frames on streams that are open, and the end of streams.
extension BrokerState {
    // MARK: Writes

    mutating func continueWrite(
        _ kind: FrameKind,
        stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        guard let id = try write(on: stream, of: peer) else { return }
        do throws(Failure) {
            if kind == .item {
                guard payload.count <= WireLimits.itemLength else {
                    throw Failure(
                        .limitExceeded,
                        "an item of a write has \(payload.count) bytes; at most \(WireLimits.itemLength) are allowed"
                    )
                }
                try contents.add(try Item(decoding: payload), metadata: UInt64(payload.count), to: id, &context)
            } else {
                try commit(id, try Commit(decoding: payload), stream: stream, from: peer)
            }
        } catch {
            refuse(id, error)
        }
        refuseDisplaced()
    }

    /// Refuses the write that has lost its place outside the pools to a newer one.
    mutating func refuseDisplaced() {
        if let displaced = contents.takeDisplacedWrite() { refuse(displaced.write, displaced.failure) }
    }

    /// The write on a client's stream; nil if the frame is late.
    private func write(on stream: UInt64, of peer: PeerID) throws(Failure) -> WriteID? {
        guard let slot = peers.find(peer) else { return nil }
        guard case .write(let id)? = peers.knownTarget(of: stream, at: slot) else {
            try peers.checkIsLate(stream, at: slot)
            return nil
        }
        return id
    }

    /// Ends a write with an error. Later frames on its stream are late.
    mutating func refuse(_ id: WriteID, _ failure: Failure) {
        guard let writer = discard(id) else { return }
        context.send(failure, to: writer.peer, stream: writer.stream)
    }

    @discardableResult
    mutating func discard(_ id: WriteID) -> (peer: PeerID, stream: UInt64)? {
        guard let writer = contents.discard(id, &context) else { return nil }
        peers.setTarget(nil, of: writer.stream, at: writer.peer)
        return writer
    }

    // MARK: Sources

    /// Takes a frame of a source about a load.
    mutating func fromSource(
        _ kind: FrameKind,
        stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID,
        _ slot: Peers.Slot
    ) throws(Failure) {
        if stream == 0, kind == .error { return close(peer) }
        guard StreamID(stream).isOpenedByBroker else { return try peers.checkIsLate(stream, at: slot) }
        try loads.take(kind, on: stream, payload, from: peer, &contents, &context)
    }

    /// Takes a frame with a descriptor: a source's answer that is the whole load, or a client's kept bytes.
    mutating func passed(
        _ descriptor: ReceivedDescriptor,
        _ header: FrameHeader,
        _ payload: Span<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        switch header.kind {
        case .answer:
            guard StreamID(header.stream).isOpenedByBroker else {
                guard let slot = peers.find(peer) else { return }
                return try peers.checkIsLate(header.stream, at: slot)
            }
            try loads.receive(descriptor, on: header.stream, payload, from: peer, &contents, &context)
        case .data:
            guard let id = try write(on: header.stream, of: peer) else { return }
            do throws(Failure) {
                try contents.receive(descriptor, for: id, &context)
            } catch {
                refuse(id, error)
            }
            refuseDisplaced()
        default:
            throw Failure(.protocolViolation, "frames of kind \(header.rawKind) must not pass descriptors")
        }
    }

    // MARK: Ends

    mutating func cancel(stream: UInt64, from peer: PeerID) throws(Failure) {
        if loads.cancel(on: stream, from: peer, &contents, &context) { return }
        if DestinationSessionID(stream: stream) != nil {
            return try cancelDestinationSession(stream: stream, of: peer)
        }
        guard let target = try peers.target(of: stream, at: peer) else { return }
        if case .write(let id) = target { discard(id) } else { end(target, stream: stream, of: peer) }
    }

    /// Ends the object of a client's stream.
    private mutating func end(_ target: StreamTarget, stream: UInt64, of peer: PeerID) {
        switch target {
        case .write(let id): discard(id)
        case .publication(let id):
            peers.setTarget(nil, of: stream, at: peer)
            ownerLeft(id)
        case .drag(let id): sourceLeft(id)
        case .destination(let id): destinationLeft(id)
        case .wait(let id): waitLeft(id)
        case .report(let report): self.end(report, for: peer)
        }
    }

    /// The source of a publication has withdrawn it, or its connection has ended. Loads of promises end; kept bytes
    /// stay.
    ///
    /// - Parameter hasDisconnected: whether the loads of the source's promises have ended already.
    mutating func ownerLeft(_ id: PublicationID, hasDisconnected: Bool = false) {
        guard contents.ownerLeft(id, &context), let slot = contents.find(id) else { return }
        if contents[slot].openLoads > 0, !hasDisconnected {
            let failure = Failure(.sourceGone, "source \(contents[slot].ownerName) has withdrawn its contents")
            loads.failPromised(of: id, with: failure, &contents, &context)
        }
        contents.removeIfUnused(id, &context)
    }

    /// Refuses a frame of an unknown kind with the flag `mustUnderstand`: the object of the frame's stream ends with an
    /// error.
    mutating func refuseUnknown(_ header: FrameHeader, from peer: PeerID) throws(Failure) {
        let failure = Failure(
            .versionMismatch,
            "this broker does not know frames of kind \(header.rawKind); update the broker"
        )
        let stream = header.stream
        guard stream != 0 else { throw failure }
        if loads.fail(on: stream, of: peer, with: failure, &contents, &context) { return }
        guard let slot = peers.find(peer) else { return }
        switch peers.knownTarget(of: stream, at: slot) {
        case .write(let id): return refuse(id, failure)
        case .some(let target): end(target, stream: stream, of: peer)
        case nil where DestinationSessionID(stream: stream) != nil:
            return try cancelDestinationSession(stream: stream, of: peer)
        case nil where StreamID(stream).isOpenedByClient:
            guard stream > peers[slot].highestStream else { return }
            // The frame may have been meant to open the stream. Later frames on it are late.
            peers.skip(stream, at: slot)
        case nil:
            guard try loads.failAsOutdated(on: stream, of: peer, &contents, &context) else { return }
        }
        context.send(failure, to: peer, stream: stream)
    }
}
