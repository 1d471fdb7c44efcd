package import PasteboardWire

// Drag sessions: those that this client has begun, and those that come to its destinations.
extension ClientState {
    /// More sessions at a client's destinations than any broker lets come.
    private static let maximumVisits = 1 << 16

    // MARK: The source

    /// The session is under way, once what was committed is there.
    package mutating func begin(_ drag: UInt64) {
        guard self.dragIndex(drag) != nil else { return }
        self.streamFrames.append(Begin(), stream: drag)
    }

    /// The session is over `location` now, or over nothing. A proposal of this sequence, or of a later one, answers.
    package mutating func move(_ drag: UInt64, to location: Location?, sequence: UInt64) throws(Failure) {
        guard let index = self.dragIndex(drag) else { return }
        var move = Move()
        move.location = location
        move.sequence = sequence
        try self.connectionFrames.appendChecked(move, stream: drag)
        self.streams.values[index].lastMove = sequence
        self.setStanding(false, at: index)
    }

    /// Lets go of the session where it is; `dropped` answers.
    package mutating func drop(_ drag: UInt64) {
        guard let index = self.dragIndex(drag) else { return }
        self.connectionFrames.append(Drop(), stream: drag)
        self.streams.values[index].isDropped = true
        self.setStanding(false, at: index)
    }

    private func dragIndex(_ stream: UInt64) -> Int? {
        guard self.failure == nil, let index = self.streams.index(of: stream),
            case .drag = self.streams.values[index].phase
        else { return nil }
        return index
    }

    mutating func onDrag(
        _ kind: FrameKind,
        _ stream: UInt64,
        at index: Int,
        _ bytes: Span<UInt8>,
        _ payload: Range<Int>
    ) throws(Failure) -> ClientEvent? {
        let open = self.streams.values[index]
        switch kind {
        case .committed:
            let committed = try Committed(decoding: bytes, range: payload)
            self.setStanding(!open.isDropped, at: index)
            return .committed(open.handle, committed)
        case .proposal:
            let proposal = try Proposal(decoding: bytes, range: payload)
            if proposal.sequence ?? 0 >= open.lastMove, !open.isDropped { self.setStanding(true, at: index) }
            return .proposed(open.handle, proposal)
        case .exit:
            return .exited(open.handle, try Exit(decoding: bytes, range: payload))
        case .dropped:
            return .dropped(open.handle, try Dropped(decoding: bytes, range: payload))
        case .transferred:
            return .transferred(open.handle, try Transferred(decoding: bytes, range: payload))
        case .end:
            let end = try End(decoding: bytes, range: payload)
            self.close(at: index, stream: stream)
            return .ended(open.handle, end)
        default:
            throw .violation("\(kind) does not fit stream \(stream)")
        }
    }

    // MARK: The destination

    /// Takes a session upon a destination that nobody has directed it to. What comes of it is `session` and `entered`, or
    /// `exited` with the refusal.
    package mutating func enter(_ destination: UInt64, session handle: UInt64, at location: Location) {
        guard self.failure == nil, let index = self.streams.index(of: destination),
            case .destination = self.streams.values[index].phase
        else { return }
        var enter = Enter()
        enter.handle = handle
        enter.location = location
        self.connectionFrames.append(enter, stream: destination)
    }

    /// Says what a drop would do; answers `entered` and `updated`.
    package mutating func propose(_ proposal: Proposal, on visit: UInt64) {
        guard self.isOpenVisit(visit) else { return }
        self.connectionFrames.append(proposal, stream: visit)
    }

    package mutating func exit(_ visit: UInt64) {
        guard self.isOpenVisit(visit) else { return }
        self.connectionFrames.append(Exit(), stream: visit)
    }

    /// The handler of a drop has returned: loads of it that were not opened here are refused from now on.
    package mutating func performed(_ performed: Performed, on visit: UInt64) {
        guard self.failure == nil, let index = self.visits.index(of: visit) else { return }
        self.visits.values[index].performed = performed
        self.performedVisits.append(visit)
        self.sendPerformed()
    }

    /// The drop is complete, or is not to be completed. It follows `performed`.
    package mutating func conclude(_ conclude: Conclude, on visit: UInt64) {
        guard self.failure == nil, let index = self.visits.index(of: visit) else { return }
        if let performed = self.visits.values[index].performed {
            self.connectionFrames.append(performed, stream: visit)
            self.visits.values[index].performed = nil
        }
        self.connectionFrames.append(conclude, stream: visit)
    }

    /// Sends `performed` of drops whose loads have all been sent: one that has to wait for its turn has begun, too.
    mutating func sendPerformed() {
        guard !self.performedVisits.isEmpty else { return }
        let loading = Set(self.waitingHandles)
        let visits = self.performedVisits
        self.performedVisits = []
        for visit in visits {
            guard let index = self.visits.index(of: visit), let performed = self.visits.values[index].performed else {
                continue
            }
            guard !loading.contains(self.visits.values[index].handle) else {
                self.performedVisits.append(visit)
                continue
            }
            self.connectionFrames.append(performed, stream: visit)
            self.visits.values[index].performed = nil
        }
    }

    /// Nothing more is heard of the session, and what it does at the destination is undone as far as it can be.
    package mutating func leave(_ visit: UInt64) {
        guard self.failure == nil, let index = self.visits.index(of: visit) else { return }
        self.connectionFrames.append(Cancel(), stream: visit)
        self.visits.remove(at: index)
    }

    private func isOpenVisit(_ visit: UInt64) -> Bool {
        self.failure == nil && self.visits.index(of: visit) != nil
    }

    mutating func onVisit(
        _ kind: FrameKind,
        _ visit: UInt64,
        _ bytes: Span<UInt8>,
        _ payload: Range<Int>
    ) throws(Failure) -> ClientEvent? {
        guard let index = self.visits.index(of: visit) else {
            let session = try Session(decoding: bytes, range: payload)
            guard self.visits.count < Self.maximumVisits, self.asks.index(of: visit) == nil else {
                throw .violation("session \(visit) has the stream of something else, or is one too many")
            }
            // A destination that this client has given up a moment ago.
            guard let destination = session.destination, self.streams.index(of: destination) != nil else { return nil }
            self.visits.insert(OpenVisit(handle: session.handle ?? 0), for: visit)
            return .session(visit, session)
        }
        switch kind {
        case .session: return .session(visit, try Session(decoding: bytes, range: payload))
        case .item: return .item(visit, try Item(decoding: bytes, range: payload))
        case .enter: return .entered(visit, try Enter(decoding: bytes, range: payload))
        case .update: return .updated(visit, try Update(decoding: bytes, range: payload))
        case .exit: return .left(visit, try Exit(decoding: bytes, range: payload))
        case .perform: return .perform(visit, try Perform(decoding: bytes, range: payload))
        case .end:
            self.visits.remove(at: index)
            return .ended(visit, try End(decoding: bytes, range: payload))
        case .error:
            self.visits.remove(at: index)
            return .failed(visit, try Failure(decoding: bytes, range: payload))
        default:
            throw .violation("\(kind) on session \(visit)")
        }
    }
}
