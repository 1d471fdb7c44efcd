package import PasteboardWire

// Drag sessions: those that this client has begun, and those that come to its destinations.
extension ClientState {
    /// More sessions at a client's destinations than any broker lets come.
    private static let maximumVisits = 1 << 16
    /// Sessions that were left a moment ago, of which the broker may not know yet.
    private static let rememberedVisits = 64

    // MARK: The source

    // What is said of a session keeps its place behind the items and the commit, wherever these wait.

    /// The session is under way, once its items are there.
    package mutating func begin(_ session: UInt64) {
        guard self.sessionIndex(session) != nil else { return }
        self.streamFrames.append(Begin(), stream: session)
    }

    /// The session is over `location` now, or over nothing. A proposal of this sequence, or of a later one, answers.
    package mutating func move(_ session: UInt64, to location: Location?, sequence: UInt64) throws(Failure) {
        guard let index = self.sessionIndex(session), !self.streams.values[index].isDropped else { return }
        var move = Move()
        move.location = location
        move.sequence = sequence
        try self.streamFrames.appendChecked(move, stream: session)
        self.streams.values[index].lastMove = sequence
        self.settleSession(at: index)
    }

    /// Lets go of the session where it is; `dropped` answers.
    package mutating func drop(_ session: UInt64) {
        guard let index = self.sessionIndex(session), !self.streams.values[index].isDropped else { return }
        self.streamFrames.append(Drop(), stream: session)
        self.streams.values[index].isDropped = true
        self.settleSession(at: index)
    }

    private func sessionIndex(_ stream: UInt64) -> Int? {
        guard self.failure == nil, let index = self.streams.index(of: stream) else { return nil }
        switch self.streams.values[index].phase {
        case .offering, .session: return index
        default: return nil
        }
    }

    /// A session stands while nothing that its source has said waits for an answer.
    mutating func settleSession(at index: Int) {
        let open = self.streams.values[index]
        guard case .session = open.phase else { return }
        self.setStanding(!open.isDropped && open.lastProposal >= open.lastMove, at: index)
    }

    mutating func onSession(
        _ kind: FrameKind,
        _ stream: UInt64,
        at index: Int,
        _ bytes: Span<UInt8>,
        _ payload: Range<Int>
    ) throws(Failure) -> ClientEvent? {
        let open = self.streams.values[index]
        switch kind {
        case .proposal where open.operation == nil:
            let proposal = try Proposal(decoding: bytes, range: payload)
            self.streams.values[index].lastProposal = max(open.lastProposal, proposal.sequence ?? 0)
            self.settleSession(at: index)
            return .proposed(open.handle, proposal)
        case .exit where open.operation == nil:
            return .exited(open.handle, try Exit(decoding: bytes, range: payload))
        case .dropped where open.isDropped && open.operation == nil:
            let dropped = try Dropped(decoding: bytes, range: payload)
            self.streams.values[index].operation = dropped.operation ?? .absent
            return .dropped(open.handle, dropped)
        case .transferred where open.operation?.transfers == true && !open.isTransferred:
            self.streams.values[index].isTransferred = true
            return .transferred(open.handle, try Transferred(decoding: bytes, range: payload))
        case .end where open.operation != nil:
            let end = try End(decoding: bytes, range: payload)
            self.close(at: index, stream: stream)
            return .ended(open.handle, end)
        default:
            throw .violation("\(kind) does not fit the session on stream \(stream)")
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

    /// Reports progress of a drop, so that the broker waits longer for its handler. Sent only to a broker that has the
    /// feature.
    package mutating func report(_ progress: Progress, on visit: UInt64) {
        guard self.isOpenVisit(visit), self.reportsDrops else { return }
        self.connectionFrames.append(progress, stream: visit)
    }

    /// Whether the broker takes progress of drops from destinations, and sends them the results.
    package var reportsDrops: Bool { self.welcome?.features.contains(Feature.dropReports.rawValue) == true }

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
        self.leftVisits.append(visit)
        if self.leftVisits.count > Self.rememberedVisits { self.leftVisits.removeFirst() }
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
            guard self.visits.count < Self.maximumVisits, self.asks.index(of: visit) == nil,
                let destination = session.destination
            else {
                throw .violation("session \(visit) has no destination, the stream of an ask, or is one too many")
            }
            guard let open = self.streams.index(of: destination) else {
                // Given up a moment ago.
                try self.checkIsLate(destination)
                return nil
            }
            guard case .destination = self.streams.values[open].phase, self.streams.values[open].isStanding else {
                throw .violation("session \(visit) is for stream \(destination), which is no destination")
            }
            guard !self.leftVisits.contains(visit) else { return nil }
            self.visits.insert(OpenVisit(handle: session.handle ?? 0), for: visit)
            return .session(visit, session)
        }
        let open = self.visits.values[index]
        switch kind {
        case .end:
            self.visits.remove(at: index)
            return .ended(visit, try End(decoding: bytes, range: payload))
        case .error:
            self.visits.remove(at: index)
            return .failed(visit, try Failure(decoding: bytes, range: payload))
        case .transferred where open.isDropped:
            return .transferred(visit, try Transferred(decoding: bytes, range: payload))
        case _ where open.isDropped:
            throw .violation("\(kind) on session \(visit), which was dropped")
        case .session:
            return .session(visit, try Session(decoding: bytes, range: payload))
        case .item where open.items < WireLimits.items:
            self.visits.values[index].items += 1
            return .item(visit, try Item(decoding: bytes, range: payload))
        case .enter:
            return .entered(visit, try Enter(decoding: bytes, range: payload))
        case .update:
            return .updated(visit, try Update(decoding: bytes, range: payload))
        case .exit:
            return .left(visit, try Exit(decoding: bytes, range: payload))
        case .perform:
            self.visits.values[index].isDropped = true
            return .perform(visit, try Perform(decoding: bytes, range: payload))
        default:
            throw .violation("\(kind) on session \(visit)")
        }
    }
}
