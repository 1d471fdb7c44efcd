package import PasteboardTransport
package import PasteboardWire

/// A connected socket and the bytes in transfer: the only path between `ClientState` and the kernel.
///
/// It blocks only in `turn`. Any other driver polls `descriptor` and calls `pump` when it is readable, `flush` when it
/// is writable or after requests on `state`, and `check` at `nextCheck`. A `Failure` thrown here means that the
/// connection has ended. The driver then calls `state.connectionLost` and notifies all waiting callers.
package struct ConnectionIO: ~Copyable {
    /// Payloads of at least this size are sent without copying if nothing else waits for the socket.
    private static let directSendSize = 16 << 10

    package var state: ClientState
    package let path: String
    package var timeouts = ConnectionTimeouts()

    private let socket: OwnedDescriptor
    private var input = ReadBuffer()
    private var decoder = FrameDecoder()
    private var carry: [UInt8] = []
    private var descriptors: ReceivedDescriptors
    private var output = OutputBuffer()
    private var deliveries: [Delivery] = []
    /// The reason why a write failed. A failed write ends only the sending direction: the bytes that the broker had
    /// sent before are still read. Then the connection ends, because this process can send nothing more.
    private var writeFailure: String?
    /// The way in which the connection has ended; nil while it has not, or if the client has ended it.
    package internal(set) var loss: Loss?
    /// Whether the first bytes were no answer to hello: another program listens at the path.
    package private(set) var isForeign = false
    /// Writes whose memory file the system did not pass.
    private var refusedWrites: Set<UInt64> = []
    /// Detects a fork. A child process shares the socket, and could write into the middle of its parent's frames.
    private let owner = ForkGuard()
    /// Prints the frames, if the user has asked for that.
    private var log = FrameLog.ofEnvironment

    private let connectedAt = MonotonicClock.now()
    /// Whether the broker has shown since `heardAt` that it is running. The clock is read once, when the time is
    /// needed.
    private var hasHeard = false
    private var heardAt = MonotonicClock.now()
    private var probedAt: UInt64?
    /// The time of the last probe, for a broker that must hear from this client now and then.
    private var lastProbe = MonotonicClock.now()

    /// - Parameters:
    ///   - path: the socket's path, for errors.
    ///   - closer: closes descriptors that were passed to this client, for a driver that must not block on an
    ///     unresponsive file system.
    package init(
        adopting socket: consuming OwnedDescriptor,
        path: String,
        hello: Hello = Hello(),
        closer: DescriptorCloser? = nil
    ) {
        self.socket = socket
        self.path = path
        descriptors = ReceivedDescriptors(closer: closer)
        state = ClientState(hello: hello)
        Socket.enlargeBuffers(of: self.socket.raw)
        // With `welcome`; the state decides about later frames.
        decoder.takesDescriptors = true
        // A program that is not a broker may print text, of which a few bytes look like the length of a long frame.
        decoder.limitBeforeHello = WireLimits.welcomeLength
    }

    package var descriptor: CInt { socket.raw }

    /// Whether bytes wait for the socket. Call `flush` when it is writable.
    // `mutating`, like `waitingCount`: a borrowing call would copy the whole connection for its callee.
    package var wantsWrite: Bool { mutating get { !output.isEmpty } }

    /// Whether writing has failed. `check` or `pump` ends the connection when nothing is left to be read.
    package var cannotWrite: Bool { mutating get { writeFailure != nil } }

    /// Whether the broker has ended before it answered hello. A broker that is ending still accepts connections for a
    /// moment. A client that has connected to one connects again, which starts the next broker.
    package var isGoneUnanswered: Bool {
        state.welcome == nil && [.crashed, .refused, .stopped].contains(loss)
    }

    /// The way in which the broker was lost for a request over this connection that has failed with `failure`; `other`
    /// if it was not.
    package mutating func loss(of failure: Failure) -> Loss {
        if failure.isIdentical(to: state.failure) { return loss ?? .other }
        if failure.isIdentical(to: state.farewell) { return Loss(state.farewell) }
        return Loss(failure)
    }

    /// The number of bytes that wait for the socket.
    package var waitingCount: Int { mutating get { output.controlCount + output.streamCount } }

    // MARK: Reading

    /// The memory of the next read, whose bytes the handler of `pump` can borrow, at the ranges of its events.
    package mutating func memoryOfNextRead() -> ReadMemory {
        input.memoryOfNextRead()
    }

    /// Reads once, and passes the events to `handle`, which may make requests on the state at once.
    ///
    /// - Returns: whether there may be more to read.
    package mutating func pump(
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Void
    ) throws(Failure) -> Bool {
        try checkOwner()
        let outcome: ReceiveOutcome
        do {
            outcome = try input.receive(
                from: socket.raw,
                carry: &carry,
                descriptors: &descriptors
            )
        } catch {
            throw lost(error.reason)
        }
        switch outcome {
        case .wouldBlock:
            if let reason = writeFailure { throw lost(reason) }
            return false
        case .endOfFile: throw lost("the broker closed it")
        case .bytes(let count):
            hasHeard = true
            probedAt = nil
            try parse(handle)
            return count >= ReadBuffer.standardReadSize
        }
    }

    private mutating func parse(
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Void
    ) throws(Failure) {
        var consumed = 0
        if log != nil { logReceived() }
        do throws(Failure) {
            try input.withBytes { (bytes) throws(Failure) in
                while let chunk = try decoder.next(in: bytes, at: &consumed) {
                    try state.received(
                        chunk,
                        in: bytes,
                        descriptor: { Result { () throws(MissingDescriptor) in try descriptors.take() } },
                        handle
                    )
                    if state.isWelcomed {
                        decoder.takesDescriptors = state.passesDescriptors
                        decoder.limitBeforeHello = nil
                    }
                }
                // A descriptor arrives with the first byte of its frame, which may be incomplete.
                guard descriptors.isEmpty || consumed < bytes.count && descriptors.count == 1 else {
                    throw .violation("received descriptors that no frame announces")
                }
            }
        } catch {
            // Reports the reason to the broker, as the last frame. It does not matter whether the report arrives.
            collect()
            output.dropStreamFrames()
            state.connectionFrames.append(error, stream: 0)
            try? flush()
            guard !state.isWelcomed, error.code == .protocolViolation else { throw error }
            isForeign = true
            let text = "what answers at \(path) is not a pasteboard broker"
            throw Failure(.brokerUnavailable, "\(text); end that program, or set PASTEBOARD_SOCKET to another path")
        }
        input.keep(unconsumedFrom: consumed, into: &carry)
    }

    /// Before they are handled, so that the frames that answer them are printed after them.
    @inline(never)
    private mutating func logReceived() {
        input.withBytes { log?.receives($0) }
    }

    private mutating func lost(_ reason: String) -> Failure {
        loss = Loss(state.farewell)
        // Before the welcome no request was sent.
        return state.farewell
            ?? (state.isWelcomed
                ? Failure(.brokerRestarted, "the connection to the broker at \(path) was lost: \(reason)")
                : Failure(
                    .brokerUnavailable,
                    "the broker at \(path) has not answered: \(reason)\(BrokerConnector.hint)"
                ))
    }

    // MARK: Writing

    /// Writes all frames to the socket, as far as it takes them.
    package mutating func flush() throws(Failure) {
        guard !output.isEmpty || hasFrames else { return }
        try checkOwner()
        collect()
        guard writeFailure == nil else {
            output = OutputBuffer()
            return
        }
        do {
            let waiting = output.controlCount + output.streamCount
            while case .refused(let stream) = try output.flush(to: socket.raw, delivered: &deliveries) {
                passingRefused(stream)
            }
            // A broker that takes bytes is running.
            if output.controlCount + output.streamCount < waiting { hasHeard = true }
        } catch {
            closeWriting(error)
        }
    }

    /// Sends one data frame of a write or an ask, with as many of the bytes as it may carry now. A small frame waits
    /// for the next `flush`, so that several are sent in one write.
    ///
    /// - Returns: the number of bytes in the frame; nil if nothing may be sent because the stream has ended or has no
    ///   credit.
    package mutating func send(_ bytes: Span<UInt8>, on stream: UInt64, last: Bool) throws(Failure) -> Int? {
        guard let header = state.dataHeader(on: stream, count: bytes.count, last: last) else { return nil }
        let count = Int(header.length)
        let payload = bytes.extracting(0..<count)
        collect()
        if log != nil { log?.sends(header) }
        guard count >= Self.directSendSize, writeFailure == nil else {
            output.appendStream(header: header, payload: payload)
            return count
        }
        // Earlier frames go first. If none is left, the socket takes the payload without a copy.
        try flush()
        do {
            if try output.sendThrough(header: header, payload: payload, to: socket.raw) { hasHeard = true }
        } catch {
            closeWriting(error)
        }
        return count
    }

    /// Answers an ask with a descriptor: the bytes are the first `byteCount` of the file. The next `flush` sends it.
    ///
    /// - Parameter path: the path of the file, if others may open it there.
    /// - Returns: false if the ask accepts no descriptor or has ended. In the former case the bytes are to be sent
    ///   inline.
    package mutating func pass(
        _ descriptor: DescriptorBox,
        byteCount: UInt64,
        path: String? = nil,
        fileName: String? = nil,
        on ask: UInt64
    ) -> Bool {
        collect()
        guard state.pass(ask, byteCount: byteCount, path: path, fileName: fileName) else { return false }
        output.markDescriptors([descriptor], name: ask)
        collect()
        return true
    }

    /// Passes a memory file with all four seals as the next kept representation of a write. The next `flush` sends it,
    /// unless the system refuses to pass it (see `takeRefusal`).
    ///
    /// - Returns: false if the broker accepts none; then the bytes are to be sent inline.
    package mutating func passKept(_ file: MemoryFile, on stream: UInt64) -> Bool {
        collect()
        guard state.passKept(stream) else { return false }
        output.markDescriptors([file.descriptor], name: stream)
        collect()
        return true
    }

    /// Whether the system has refused to pass the last memory file of a write, whose bytes are then to be sent inline.
    /// The result is known when no bytes wait for the socket.
    package mutating func takeRefusal(of stream: UInt64) -> Bool {
        refusedWrites.remove(stream) != nil
    }

    /// Handles a descriptor that the system did not pass. The driver of a write sends the bytes inline; an ask fails,
    /// and the connection continues.
    private mutating func passingRefused(_ stream: UInt64) {
        log?.refuses(stream)
        guard StreamID(stream).isOpenedByBroker else {
            refusedWrites.insert(stream)
            return
        }
        let text = "the file was not passed: too many descriptors of this user are in transfer; try again"
        state.connectionFrames.append(Failure(.limitExceeded, text), stream: stream)
        collect()
    }

    @inline(__always)
    private var hasFrames: Bool {
        state.connectionFrames.count > 0 || state.streamFrames.count > 0
    }

    @inline(__always)
    private mutating func collect() {
        if hasFrames { collectFrames() }
    }

    /// Moves the state's frames to the output. A `do` block ends the reference to an array before the array is emptied,
    /// because a shared array would be copied at its next write.
    @inline(never)
    private mutating func collectFrames() {
        if state.connectionFrames.count > 0 {
            do {
                let frames = state.connectionFrames.memory
                let waiting = frames.span.extracting(0..<state.connectionFrames.count)
                if log != nil { log?.sends(waiting) }
                output.appendControl(waiting)
            }
            state.connectionFrames.removeAll()
        }
        if state.streamFrames.count > 0 {
            do {
                let frames = state.streamFrames.memory
                let waiting = frames.span.extracting(0..<state.streamFrames.count)
                if log != nil { log?.sends(waiting) }
                output.appendStream(waiting)
            }
            state.streamFrames.removeAll()
        }
    }

    private mutating func closeWriting(_ error: SystemError) {
        writeFailure = error.reason
        output = OutputBuffer()
    }

    /// Shuts down the sending direction, even if another process still holds the descriptor. Does nothing in a forked
    /// child, because it shares the socket with its parent.
    package func endWriting() {
        guard owner.isInOwner else { return }
        try? Socket.endWriting(socket.raw)
    }

    @inline(__always)
    private func checkOwner() throws(Failure) {
        guard owner.isInOwner else {
            throw Failure(
                .invalidArgument,
                "process \(owner.process) opened this connection; a process created by fork has to open its own"
            )
        }
    }

    // MARK: Silence

    /// The time at which `check` is to be called unless something arrives before (see `MonotonicClock`).
    package var nextCheck: UInt64 {
        mutating get {
            if writeFailure != nil { return 0 }
            if !state.isWelcomed { return connectedAt.after(timeouts.welcome) }
            guard state.isAwaiting || wantsWrite || timeouts.probesIdle else { return .max }
            if let probedAt { return probedAt.after(timeouts.probe) }
            if hasHeard {
                heardAt = MonotonicClock.recent()
                hasHeard = false
            }
            return (timeouts.probesIdle ? min(heardAt, lastProbe) : heardAt).after(timeouts.silence)
        }
    }

    /// Called at `nextCheck` when nothing can be read. Sends a probe, or ends the connection if the broker does not
    /// answer.
    package mutating func check() throws(Failure) {
        if let reason = writeFailure { throw lost(reason) }
        let due = nextCheck
        guard MonotonicClock.mayBeOver(due) else { return }
        let now = MonotonicClock.now()
        guard now >= due else { return }
        guard state.isWelcomed else {
            loss = .silent
            throw Failure(
                .brokerUnavailable,
                "the broker at \(path) does not answer: no welcome within \(timeouts.welcome) ms"
                    + BrokerConnector.hint
            )
        }
        guard probedAt == nil else {
            loss = .silent
            let silence = timeouts.silence + timeouts.probe
            throw Failure(
                .timeout,
                "the broker at \(path) does not answer: silent for \(silence) ms\(BrokerConnector.hint)"
            )
        }
        (probedAt, lastProbe) = (now, now)
        state.sendProbe()
        try flush()
    }
}

extension UInt64 {
    /// This time plus a number of milliseconds.
    fileprivate func after(_ milliseconds: Int) -> UInt64 {
        addingClamped(UInt64(clamping: milliseconds).multipliedReportingOverflow(by: 1_000_000).partialValue)
    }
}
