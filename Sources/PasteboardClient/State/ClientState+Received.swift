package import PasteboardTransport
package import PasteboardWire

// Frames of the broker: they are checked against the requests, and turned into events.
extension ClientState {
    /// Handles one part of the bytes from the broker, and passes at most one event to `handle`. An error means a
    /// violation by the broker, which ends the connection.
    ///
    /// The events of a load are passed to `handle` by the code that creates them. There the compiler knows the case,
    /// which contains only numbers; an event that is returned first must be released as any case.
    ///
    /// - Parameter descriptor: returns the descriptor of the frame, or throws the reason why there is none. Called only
    ///   if the header counts one.
    @inline(__always)
    package mutating func received(
        _ chunk: FrameChunk,
        in bytes: Span<UInt8>,
        descriptor: () -> Result<DescriptorBox, MissingDescriptor> = { .failure(.notSent) },
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Void
    ) throws(Failure) {
        guard failure == nil else { return }
        let (header, payload) = (chunk.header, chunk.payload)
        let event: ClientEvent?
        if header.descriptorCount > 0 {
            owner = owner(of: header.stream)
            event = try passed(header, bytes, payload, descriptor())
        } else if header.rawKind == FrameKind.data.rawValue {
            return try data(chunk, bytes, handle)
        } else {
            do throws(Failure) {
                if header.rawKind == FrameKind.answer.rawValue, let index = answeredLoad(header.stream) {
                    owner = streams.values[index].owner
                    var answer = AnswerFields()
                    try answer.decode(bytes, payload)
                    if let content = answer.content, !content.isKnown {
                        connectionFrames.append(Cancel(), stream: header.stream)
                        return handle(&self, refuse(content, at: index, stream: header.stream), bytes)
                    }
                    streams.values[index].answered(answer)
                    return handle(&self, .answered(streams.values[index].programStream, answer), bytes)
                }
                if header.rawKind == FrameKind.ask.rawValue, isNewAsk(header.stream) {
                    let ask = try AskFields(decoding: bytes, range: payload)
                    asks.insert(OpenAsk(ask, on: header.stream))
                    return handle(&self, .asked(header.stream, ask), bytes)
                }
                owner = owner(of: header.stream)
                event = try control(header, bytes, payload)
            } catch {
                throw .ofBroker(error)
            }
        }
        if let event { handle(&self, event, bytes) }
    }

    // MARK: Frames of each load

    @inline(__always)
    private mutating func data(
        _ chunk: FrameChunk,
        _ bytes: Span<UInt8>,
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Void
    ) throws(Failure) {
        let (stream, payload) = (chunk.header.stream, chunk.payload)
        guard let index = streams.index(of: stream) else { return try checkIsLate(stream) }
        let programStream = streams.values[index].programStream
        owner = streams.values[index].owner
        try streams.values[index].receive(payload.count)
        guard chunk.isLast, chunk.header.flags.contains(.last) else {
            if !payload.isEmpty { handle(&self, .data(programStream, payload: payload, last: false), bytes) }
            return
        }
        let (received, declared) = (streams.values[index].received, streams.values[index].declared)
        openLoads -= 1
        remove(at: index, stream: stream, programStream: programStream)
        if let declared, received != declared {
            return handle(&self, .failed(programStream, .truncated(received, of: declared)), bytes)
        }
        handle(&self, .data(programStream, payload: payload, last: true), bytes)
    }

    /// The index of a load whose answer is received. Any other answer is late or a violation.
    @inline(__always)
    private func answeredLoad(_ stream: UInt64) -> Int? {
        guard isWelcomed, let index = streams.index(of: stream), case .load = streams.values[index].phase,
            !streams.values[index].isAnswered
        else { return nil }
        return index
    }

    /// Ends a load whose bytes have a form that this program does not know. As plain bytes they would be wrong.
    @inline(never)
    private mutating func refuse(_ content: ContentForm, at index: Int, stream: UInt64) -> ClientEvent {
        let programStream = streams.values[index].programStream
        close(at: index, stream: stream)
        let text = "this program does not know the form of the bytes (content \(content.rawValue)); update the program"
        return .failed(programStream, Failure(.versionMismatch, text))
    }

    /// Whether an ask of this number may be opened. Otherwise it is a violation.
    @inline(__always)
    private func isNewAsk(_ stream: UInt64) -> Bool {
        isWelcomed && stream != 0 && StreamID(stream).isOpenedByBroker && asks.count < maximumAsks
            && asks.index(of: stream) == nil && destinationSessions.index(of: stream) == nil
    }

    // MARK: Descriptors

    /// Handles an answer with a descriptor, which is a complete load.
    private mutating func passed(
        _ header: FrameHeader,
        _ bytes: Span<UInt8>,
        _ payload: Range<Int>,
        _ descriptor: Result<DescriptorBox, MissingDescriptor>
    ) throws(Failure) -> ClientEvent? {
        var box: DescriptorBox?
        var isMissing = false
        switch descriptor {
        case .success(let came): box = came
        case .failure(let reason): isMissing = reason == .notSent
        }
        if header.kind == .welcome, header.stream == 0 {
            return try welcomed(try Welcome(decoding: bytes, range: payload), probeArrived: !isMissing)
        }
        guard passesDescriptors, header.kind == .answer, !isMissing else {
            let text = "a frame announces a descriptor that was not negotiated or did not arrive\(BrokerConnector.hint)"
            throw .violation(text)
        }
        guard let index = streams.index(of: header.stream) else {
            try checkIsLate(header.stream)
            return nil
        }
        let load = streams.values[index]
        guard case .load = load.phase, load.descriptorWelcome, !load.isAnswered else {
            throw .violation("a descriptor on stream \(header.stream), which does not accept one")
        }
        let answer = try AnswerFields(decoding: bytes, range: payload)
        guard let byteCount = answer.byteCount, byteCount <= load.maximum else {
            throw .violation("a descriptor without a size, or of more bytes than were allowed")
        }
        if let content = answer.content, !content.isKnown {
            return refuse(content, at: index, stream: header.stream)
        }
        close(at: index, stream: header.stream)
        guard let box else {
            let text = "this process has too many open files to receive the file of this load; close some"
            return .failed(load.programStream, Failure(.limitExceeded, text))
        }
        return .passed(load.programStream, Answer(answer, in: bytes), box)
    }

    // MARK: Everything else

    private mutating func control(
        _ header: FrameHeader,
        _ bytes: Span<UInt8>,
        _ payload: Range<Int>
    ) throws(Failure) -> ClientEvent? {
        guard let kind = header.kind else { return try unknown(header) }
        if header.stream == 0 {
            switch kind {
            case .welcome:
                return try welcomed(try Welcome(decoding: bytes, range: payload), probeArrived: nil)
            case .error:
                parted(try Failure(decoding: bytes, range: payload))
                return nil
            default:
                throw .violation("\(kind) on stream 0")
            }
        }
        guard isWelcomed else { throw .violation("\(kind) before welcome") }
        if StreamID(header.stream).isOpenedByBroker {
            return try onAsk(kind, header.stream, bytes, payload)
        }
        guard let index = streams.index(of: header.stream) else {
            try checkIsLate(header.stream)
            return nil
        }
        if case .probe = streams.values[index].phase {
            if kind == .end || kind == .error { close(at: index, stream: header.stream) }
            return nil
        }
        return try onStream(kind, header.stream, at: index, bytes, payload)
    }

    /// The memory for the entries of one status, and an estimate for an entry without its texts. The status of a broker
    /// has no limit of the protocol; this one suffices for 100,000 connections.
    private static let statusMemory = 128 << 20
    private static let statusEntryMemory = 1 << 10

    private mutating func onStream(
        _ kind: FrameKind,
        _ stream: UInt64,
        at index: Int,
        _ bytes: Span<UInt8>,
        _ payload: Range<Int>
    ) throws(Failure) -> ClientEvent? {
        let open = streams.values[index]
        switch (open.phase, kind) {
        case (_, .error):
            let failure = try Failure(decoding: bytes, range: payload)
            close(at: index, stream: stream)
            return .failed(open.programStream, failure)
        case (.load, .progress):
            return .progress(open.programStream, try Progress(decoding: bytes, range: payload))
        case (.committing, .committed):
            streams.values[index].phase = .publication
            setStanding(true, at: index)
            return .committed(open.programStream, try Committed(decoding: bytes, range: payload))
        case (.clear, .committed), (.adding, .committed):
            streams.values[index].phase = .changed
            return .committed(open.programStream, try Committed(decoding: bytes, range: payload))
        case (.list, .contents):
            streams.values[index].phase = .listing(items: 0)
            return .contents(open.programStream, try Contents(decoding: bytes, range: payload))
        case (.listing(let items), .item) where items < WireLimits.items:
            streams.values[index].phase = .listing(items: items + 1)
            return .item(open.programStream, try Item(decoding: bytes, range: payload))
        case (.status(let memory), .statusEntry) where memory < Self.statusMemory:
            streams.values[index].phase = .status(memory: memory + Self.statusEntryMemory + payload.count)
            return .statusEntry(open.programStream, try StatusEntry(decoding: bytes, range: payload))
        case (.load, .end) where open.isAnswered, (.createBoard, .end) where open.isStanding, (.publication, .end),
            (.listing, .end), (.changed, .end), (.status, .end), (.stop, .end):
            let end = try End(decoding: bytes, range: payload)
            close(at: index, stream: stream)
            if case .load = open.phase, open.received != end.byteCount ?? open.declared ?? open.received {
                return .failed(open.programStream, .truncated(open.received, of: end.byteCount ?? open.declared ?? 0))
            }
            return .ended(open.programStream, end)
        case (.offering, .committed):
            streams.values[index].phase = .session
            updateStanding(at: index)
            return .committed(open.programStream, try Committed(decoding: bytes, range: payload))
        case (.session, _):
            return try onSession(kind, stream, at: index, bytes, payload)
        case (.destination, .registered) where !open.isStanding, (.watch, .registered) where !open.isStanding,
            (.createBoard, .registered) where !open.isStanding:
            setStanding(true, at: index)
            return .registered(open.programStream, try Registered(decoding: bytes, range: payload))
        case (.watch, .change) where open.isStanding && open.received < open.granted:
            streams.values[index].received += 1
            return .changed(open.programStream, try Change(decoding: bytes, range: payload))
        default:
            throw .violation("\(kind) does not fit stream \(stream)")
        }
    }

    /// Handles a kind of a later protocol version. It is skipped, or refused if the sender must learn that it was not
    /// understood.
    private mutating func unknown(_ header: FrameHeader) throws(Failure) -> ClientEvent? {
        guard header.flags.contains(.mustUnderstand) else { return nil }
        let failure = Failure(
            .versionMismatch,
            "this program does not know frames of kind \(header.rawKind); update the program"
        )
        guard header.stream != 0 else { throw failure }
        if let index = asks.index(of: header.stream) {
            asks.remove(at: index)
            streamFrames.append(failure, stream: header.stream)
            return .askCancelled(header.stream)
        }
        if destinationSessions.index(of: header.stream) != nil {
            leave(header.stream)
            return .failed(header.stream, failure)
        }
        guard let index = streams.index(of: header.stream) else { return nil }
        let programStream = streams.values[index].programStream
        connectionFrames.append(Cancel(), stream: header.stream)
        close(at: index, stream: header.stream)
        return .failed(programStream, failure)
    }

    // MARK: The broker's own streams

    private mutating func onAsk(
        _ kind: FrameKind,
        _ stream: UInt64,
        _ bytes: Span<UInt8>,
        _ payload: Range<Int>
    ) throws(Failure) -> ClientEvent? {
        if case .session = kind {
            return try onDestinationSession(kind, stream, bytes, payload)
        }
        if destinationSessions.index(of: stream) != nil {
            return try onDestinationSession(kind, stream, bytes, payload)
        }
        let open = asks.index(of: stream)
        switch kind {
        case .enter where open == nil, .update where open == nil, .exit where open == nil, .perform where open == nil,
            .item where open == nil, .transferred where open == nil, .end where open == nil:
            // A frame of a session that this client has left.
            return nil
        case .ask:
            throw .violation("ask \(stream) is already open, or one more than this program accepts")
        case .credit:
            let offset = try Credit(decoding: bytes, range: payload).offset ?? 0
            guard let open, offset > asks.values[open].credit else { return nil }
            asks.values[open].credit = offset
            return .askCredit(stream)
        case .cancel, .error:
            guard let open else { return nil }
            if kind == .cancel {
                _ = try Cancel(decoding: bytes, range: payload)
            } else {
                _ = try Failure(decoding: bytes, range: payload)
            }
            asks.remove(at: open)
            return .askCancelled(stream)
        default:
            throw .violation("\(kind) on ask \(stream)")
        }
    }
}

extension Failure {
    /// A decoding error describes a request. If the broker sent the message, the error is a violation.
    @inline(never)
    fileprivate static func ofBroker(_ error: Failure) -> Failure {
        error.code == .invalidArgument || error.code == .limitExceeded ? .violation(error.text) : error
    }

    fileprivate static func truncated(_ received: UInt64, of declared: UInt64) -> Failure {
        Failure(.sourceTruncated, "received \(received) bytes, but \(declared) were announced")
    }
}
