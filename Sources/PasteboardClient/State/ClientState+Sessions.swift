package import PasteboardWire

// Drag sessions: those that this client has begun, and those at its destinations.
extension ClientState {
    /// A number of sessions at a client's destinations that exceeds the limit of any broker.
    private static let maximumDestinationSessions = 1 << 12
    /// The number of recently left sessions that are remembered, because the broker may not know yet that they were
    /// left.
    private static let rememberedDestinationSessions = 64

    // MARK: The source

    // Frames of a session are sent after its items and commit, even while these wait.

    /// Begins the dragging of a session after its items were sent.
    package mutating func begin(_ session: UInt64) {
        guard sessionIndex(session) != nil else { return }
        streamFrames.append(Begin(), stream: session)
    }

    /// Moves the session to `location`, or away from all destinations. The answer is a proposal of this sequence or of
    /// a later one.
    package mutating func move(_ session: UInt64, to location: Location?, sequence: UInt64) throws(Failure) {
        guard sessionIndex(session) != nil else { return }
        var move = Move()
        move.location = location
        move.sequence = sequence
        // It may be sent later, when nobody would learn that it is too long.
        var frames = FrameMemory()
        try frames.appendChecked(move, stream: session)
        ask(session) { $0.move(move) }
    }

    /// Drops the session where it is, after all moves. The broker answers with `dropped`.
    package mutating func drop(_ session: UInt64) {
        ask(session) { $0.drop() }
    }

    /// Sends what is to be sent after a step of the source or an answer.
    private mutating func ask(_ session: UInt64, _ step: (inout DragQuestions) -> DragQuestions.Step) {
        guard let index = sessionIndex(session) else { return }
        switch step(&questions[session, default: DragQuestions()]) {
        case .none: break
        case .move(let move): streamFrames.append(move, stream: session)
        case .drop:
            streamFrames.append(Drop(), stream: session)
            streams.values[index].isDropped = true
        }
        updateStanding(at: index)
    }

    private func sessionIndex(_ stream: UInt64) -> Int? {
        guard failure == nil, let index = streams.index(of: stream) else { return nil }
        switch streams.values[index].phase {
        case .offering, .session: return index
        default: return nil
        }
    }

    /// Updates whether a session is standing: it is while no message of its source waits for an answer.
    mutating func updateStanding(at index: Int) {
        let open = streams.values[index]
        guard case .session = open.phase else { return }
        setStanding(!open.isDropped && questions[open.stream]?.isAsked != true, at: index)
    }

    mutating func onSession(
        _ kind: FrameKind,
        _ stream: UInt64,
        at index: Int,
        _ bytes: Span<UInt8>,
        _ payload: Range<Int>
    ) throws(Failure) -> ClientEvent? {
        let open = streams.values[index]
        switch kind {
        case .proposal where !open.isDropped:
            let proposal = try Proposal(decoding: bytes, range: payload)
            guard questions[stream]?.isAsked == true else {
                throw .violation("a proposal that is no answer on stream \(stream)")
            }
            ask(stream) { $0.answered() }
            return .proposed(open.programStream, proposal)
        case .exit where open.operation == nil:
            return .exited(open.programStream, try Exit(decoding: bytes, range: payload))
        case .dropped where open.isDropped && open.operation == nil:
            let dropped = try Dropped(decoding: bytes, range: payload)
            streams.values[index].operation = dropped.operation ?? .absent
            return .dropped(open.programStream, dropped)
        case .transferred where open.operation?.transfers == true && !open.isTransferred:
            streams.values[index].isTransferred = true
            return .transferred(open.programStream, try Transferred(decoding: bytes, range: payload))
        case .end where open.operation != nil:
            let end = try End(decoding: bytes, range: payload)
            close(at: index, stream: stream)
            return .ended(open.programStream, end)
        default:
            throw .violation("\(kind) does not fit the session on stream \(stream)")
        }
    }

    // MARK: The destination

    /// Sends the proposal for a drop, as the answer to `entered` or `updated`.
    package mutating func propose(_ proposal: Proposal, on stream: UInt64) {
        guard isOpenDestinationSession(stream) else { return }
        connectionFrames.append(proposal, stream: stream)
    }

    package mutating func exit(_ stream: UInt64) {
        guard isOpenDestinationSession(stream) else { return }
        connectionFrames.append(Exit(), stream: stream)
    }

    /// Reports progress of a drop, so that the broker waits longer for its handler. Sent only if the broker has the
    /// feature.
    package mutating func report(_ progress: Progress, on stream: UInt64) {
        guard isOpenDestinationSession(stream), reportsDrops else { return }
        connectionFrames.append(progress, stream: stream)
    }

    /// Whether the broker accepts progress of drops from destinations, and sends them the results.
    package var reportsDrops: Bool { welcome?.features.contains(Feature.dropReports.rawValue) == true }

    /// Reports that the handler of a drop has returned. The broker then refuses further loads of the session.
    package mutating func performed(_ performed: Performed, on stream: UInt64) {
        guard failure == nil, let index = destinationSessions.index(of: stream) else { return }
        destinationSessions.values[index].performed = performed
        performedDestinationSessions.append(stream)
        sendPerformed()
    }

    /// Concludes a drop: it is complete, or will not be completed. It follows `performed`.
    package mutating func conclude(_ conclude: Conclude, on stream: UInt64) {
        guard failure == nil, let index = destinationSessions.index(of: stream) else { return }
        if let performed = destinationSessions.values[index].performed {
            connectionFrames.append(performed, stream: stream)
            destinationSessions.values[index].performed = nil
        }
        connectionFrames.append(conclude, stream: stream)
    }

    /// Sends `performed` for drops whose loads have all been sent. A load that waits for its turn has begun, too, and
    /// is sent first.
    mutating func sendPerformed() {
        guard !performedDestinationSessions.isEmpty else { return }
        let loading = Set(waitingHandles)
        let pending = performedDestinationSessions
        performedDestinationSessions = []
        for stream in pending {
            guard let index = destinationSessions.index(of: stream),
                let performed = destinationSessions.values[index].performed
            else {
                continue
            }
            guard !loading.contains(destinationSessions.values[index].handle) else {
                performedDestinationSessions.append(stream)
                continue
            }
            connectionFrames.append(performed, stream: stream)
            destinationSessions.values[index].performed = nil
        }
    }

    /// Leaves a session. No more events of it follow, and its effects at the destination are undone as far as possible.
    package mutating func leave(_ stream: UInt64) {
        guard failure == nil, let index = destinationSessions.index(of: stream) else { return }
        connectionFrames.append(Cancel(), stream: stream)
        destinationSessions.remove(at: index)
        leftDestinationSessions.append(stream)
        if leftDestinationSessions.count > Self.rememberedDestinationSessions {
            leftDestinationSessions.removeFirst()
        }
    }

    private func isOpenDestinationSession(_ stream: UInt64) -> Bool {
        failure == nil && destinationSessions.index(of: stream) != nil
    }

    mutating func onDestinationSession(
        _ kind: FrameKind,
        _ stream: UInt64,
        _ bytes: Span<UInt8>,
        _ payload: Range<Int>
    ) throws(Failure) -> ClientEvent? {
        guard let index = destinationSessions.index(of: stream) else {
            let session = try Session(decoding: bytes, range: payload)
            guard destinationSessions.count < Self.maximumDestinationSessions, asks.index(of: stream) == nil,
                let destination = session.destination
            else {
                throw .violation("session \(stream) has no destination, has the stream of an ask, or is one too many")
            }
            guard let open = streams.index(of: destination) else {
                // The destination was ended a moment ago.
                try checkIsLate(destination)
                return nil
            }
            guard case .destination = streams.values[open].phase, streams.values[open].isStanding else {
                throw .violation("session \(stream) is for stream \(destination), which is not a destination")
            }
            guard !leftDestinationSessions.contains(stream) else { return nil }
            owner = streams.values[open].owner
            destinationSessions.insert(OpenDestinationSession(stream: stream, handle: session.handle ?? 0))
            return .session(stream, session)
        }
        let open = destinationSessions.values[index]
        switch kind {
        // A malformed end is a violation. Then the session has to be in the table, to end with the connection.
        case .end:
            let end = try End(decoding: bytes, range: payload)
            destinationSessions.remove(at: index)
            return .ended(stream, end)
        case .error:
            let failure = try Failure(decoding: bytes, range: payload)
            destinationSessions.remove(at: index)
            return .failed(stream, failure)
        case .transferred where open.isDropped:
            return .transferred(stream, try Transferred(decoding: bytes, range: payload))
        case _ where open.isDropped:
            throw .violation("\(kind) on session \(stream), which was dropped")
        case .session:
            return .session(stream, try Session(decoding: bytes, range: payload))
        case .item where open.items < WireLimits.items:
            destinationSessions.values[index].items += 1
            return .item(stream, try Item(decoding: bytes, range: payload))
        case .enter:
            return .entered(stream, try Enter(decoding: bytes, range: payload))
        case .update:
            return .updated(stream, try Update(decoding: bytes, range: payload))
        case .exit:
            return .left(stream, try Exit(decoding: bytes, range: payload))
        case .perform:
            destinationSessions.values[index].isDropped = true
            return .perform(stream, try Perform(decoding: bytes, range: payload))
        default:
            throw .violation("\(kind) on session \(stream)")
        }
    }
}
