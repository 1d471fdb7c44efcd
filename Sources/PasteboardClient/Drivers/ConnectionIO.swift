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
    /// Whether the broker has closed the connection without giving a reason and without having been silent too long.
    private var isGone = false
    /// Writes whose memory file the system did not pass.
    private var refusedWrites: Set<UInt64> = []
    /// Detects a fork. A child process shares the socket, and could write into the middle of its parent's frames.
    private let owner = ForkGuard()

    /// The socket's receive timeout in milliseconds, 0 for none; nil while receiving does not block.
    var receiveTimeout: Int?

    private let connectedAt = MonotonicClock.now()
    private var heardAt = MonotonicClock.now()
    private var probedAt: UInt64?

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
        self.descriptors = ReceivedDescriptors(closer: closer)
        self.state = ClientState(hello: hello)
        Socket.enlargeBuffers(of: self.socket.raw)
    }

    package var descriptor: CInt { self.socket.raw }

    /// Whether bytes wait for the socket. Call `flush` when it is writable.
    // `mutating`, like `waitingCount`: a borrowing call would copy the whole connection for its callee.
    package var wantsWrite: Bool { mutating get { !self.output.isEmpty } }

    /// Whether writing has failed. `check` or `pump` ends the connection when nothing is left to be read.
    package var cannotWrite: Bool { self.writeFailure != nil }

    /// Whether the broker has closed the connection without an answer to hello. A broker that is ending still accepts
    /// connections for a moment. A client that has met one connects again, which starts the next broker.
    package var isGoneUnanswered: Bool { self.isGone && self.state.welcome == nil }

    /// The number of bytes that wait for the socket.
    package var waitingCount: Int { mutating get { self.output.controlCount + self.output.streamCount } }

    // MARK: Reading

    /// Reads once, and passes the events to `handle`, which may make requests on the state at once.
    ///
    /// - Parameter waiting: whether to block until bytes come, as long as the socket's timeout allows.
    /// - Returns: whether there may be more to read.
    package mutating func pump(
        waiting: Bool = false,
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Void
    ) throws(Failure) -> Bool {
        try self.checkOwner()
        let outcome: ReceiveOutcome
        do {
            outcome = try self.input.receive(
                from: self.socket.raw,
                waiting: waiting,
                carry: &self.carry,
                descriptors: &self.descriptors
            )
        } catch {
            throw self.lost(error.reason)
        }
        switch outcome {
        case .wouldBlock:
            if let reason = self.writeFailure { throw self.lost(reason) }
            return false
        case .endOfFile: throw self.lost("it closed the connection")
        case .bytes(let count):
            self.heardAt = MonotonicClock.recent()
            self.probedAt = nil
            try self.parse(handle)
            return count >= ReadBuffer.standardReadSize
        }
    }

    private mutating func parse(
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Void
    ) throws(Failure) {
        var consumed = 0
        do throws(Failure) {
            try self.input.withBytes { (bytes) throws(Failure) in
                while let piece = try self.decoder.next(in: bytes, at: &consumed) {
                    let event = try self.state.received(piece, in: bytes) {
                        Result { () throws(MissingDescriptor) in try self.descriptors.take() }
                    }
                    self.decoder.takesDescriptors = self.state.passesDescriptors
                    if let event { handle(&self.state, event, bytes) }
                }
                // A descriptor comes with the first byte of its frame, which may be incomplete.
                guard self.descriptors.isEmpty || consumed < bytes.count && self.descriptors.count == 1 else {
                    throw .violation("descriptors came that no frame announces")
                }
            }
        } catch {
            // Reports the reason to the broker. It does not matter whether the report arrives.
            self.state.connectionFrames.append(error, stream: 0)
            try? self.flush()
            throw error
        }
        self.input.keep(unconsumedFrom: consumed, into: &self.carry)
    }

    private mutating func lost(_ reason: String) -> Failure {
        self.isGone = self.state.farewell == nil
        return self.state.farewell
            ?? Failure(.brokerUnavailable, "the broker at \(self.path) went away: \(reason)")
    }

    // MARK: Writing

    /// Writes all frames to the socket, as far as it takes them.
    package mutating func flush() throws(Failure) {
        guard !self.output.isEmpty || self.hasFrames else { return }
        try self.checkOwner()
        self.collect()
        guard self.writeFailure == nil else {
            self.output = OutputBuffer()
            return
        }
        do {
            let waiting = self.output.controlCount + self.output.streamCount
            while case .refused(let stream) = try self.output.flush(to: self.socket.raw, delivered: &self.deliveries) {
                self.passingRefused(stream)
            }
            // A broker that takes bytes is running.
            if self.output.controlCount + self.output.streamCount < waiting, self.probedAt == nil {
                self.heardAt = MonotonicClock.recent()
            }
        } catch {
            self.closeWriting(error)
        }
    }

    /// Sends one data frame of a write or an ask, with as many of the bytes as it may carry now. A small frame waits
    /// for the next `flush`, so that several are sent in one write.
    ///
    /// - Returns: the number of bytes in the frame; nil if nothing may be sent because the stream has ended or has no
    ///   credit.
    package mutating func send(_ bytes: Span<UInt8>, on stream: UInt64, last: Bool) throws(Failure) -> Int? {
        guard let header = self.state.dataHeader(on: stream, count: bytes.count, last: last) else { return nil }
        let count = Int(header.length)
        let payload = bytes.extracting(0..<count)
        self.collect()
        guard count >= Self.directSendSize, self.writeFailure == nil else {
            self.output.appendStream(header: header, payload: payload)
            return count
        }
        // Earlier frames go first. If none is left, the socket takes the payload without a copy.
        try self.flush()
        do {
            if try self.output.sendThrough(header: header, payload: payload, to: self.socket.raw), self.probedAt == nil
            {
                self.heardAt = MonotonicClock.recent()
            }
        } catch {
            self.closeWriting(error)
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
        self.collect()
        guard self.state.pass(ask, byteCount: byteCount, path: path, fileName: fileName) else { return false }
        self.output.markDescriptors([descriptor], name: ask)
        self.collect()
        return true
    }

    /// Passes a memory file with all four seals as the next kept representation of a write. The next `flush` sends it,
    /// unless the system refuses to pass it (see `takeRefusal`).
    ///
    /// - Returns: false if the broker accepts none; then the bytes are to be sent inline.
    package mutating func passKept(_ file: MemoryFile, on stream: UInt64) -> Bool {
        self.collect()
        guard self.state.passKept(stream) else { return false }
        self.output.markDescriptors([file.descriptor], name: stream)
        self.collect()
        return true
    }

    /// Whether the system has refused to pass the last memory file of a write, whose bytes are then to be sent inline.
    /// The result is known when no bytes wait for the socket.
    package mutating func takeRefusal(of stream: UInt64) -> Bool {
        self.refusedWrites.remove(stream) != nil
    }

    /// Handles a descriptor that the system did not pass. The driver of a write sends the bytes inline; an ask fails
    /// alone.
    private mutating func passingRefused(_ stream: UInt64) {
        guard StreamID(stream).isOpenedByBroker else {
            self.refusedWrites.insert(stream)
            return
        }
        let text = "the system passes no more descriptors for this user now, so the file was not handed over"
        self.state.connectionFrames.append(Failure(.limitExceeded, text), stream: stream)
        self.collect()
    }

    @inline(__always)
    private var hasFrames: Bool {
        !self.state.connectionFrames.bytes.isEmpty || !self.state.streamFrames.bytes.isEmpty
    }

    /// Moves the state's frames to the output. The output releases its reference to an array before the array is
    /// emptied, because otherwise the array would be copied.
    private mutating func collect() {
        if !self.state.connectionFrames.bytes.isEmpty {
            do {
                let frames = self.state.connectionFrames.bytes
                self.output.appendControl(frames.span)
            }
            self.state.connectionFrames.removeAll()
        }
        if !self.state.streamFrames.bytes.isEmpty {
            do {
                let frames = self.state.streamFrames.bytes
                self.output.appendStream(frames.span)
            }
            self.state.streamFrames.removeAll()
        }
    }

    private mutating func closeWriting(_ error: SystemError) {
        self.writeFailure = error.reason
        self.output = OutputBuffer()
    }

    /// Shuts down the sending direction, even if another process still holds the descriptor. Does nothing in a forked
    /// child, because it shares the socket with its parent.
    package func endWriting() {
        guard self.owner.isInOwner else { return }
        try? Socket.endWriting(self.socket.raw)
    }

    @inline(__always)
    private func checkOwner() throws(Failure) {
        guard self.owner.isInOwner else {
            throw Failure(
                .invalidArgument,
                "process \(self.owner.process) made this connection; a child made by fork has to make its own"
            )
        }
    }

    // MARK: Silence

    /// The time at which `check` is to be called unless something comes before (see `MonotonicClock`).
    package var nextCheck: UInt64 {
        mutating get {
            if self.writeFailure != nil { return 0 }
            if !self.state.isWelcomed { return self.connectedAt.after(self.timeouts.welcome) }
            guard self.state.isAwaiting || self.wantsWrite else { return .max }
            return self.probedAt?.after(self.timeouts.probe) ?? self.heardAt.after(self.timeouts.silence)
        }
    }

    /// Called at `nextCheck` when nothing can be read. Sends a probe, or ends the connection if the broker does not
    /// answer.
    package mutating func check() throws(Failure) {
        if let reason = self.writeFailure { throw self.lost(reason) }
        let due = self.nextCheck
        guard MonotonicClock.mayBeOver(due) else { return }
        let now = MonotonicClock.now()
        guard now >= due else { return }
        guard self.state.isWelcomed else {
            throw Failure(
                .brokerUnavailable,
                "the broker at \(self.path) does not answer: no welcome within \(self.timeouts.welcome) ms"
            )
        }
        guard self.probedAt == nil else {
            let silence = self.timeouts.silence + self.timeouts.probe
            throw Failure(.timeout, "the broker at \(self.path) does not answer: silent for \(silence) ms")
        }
        self.probedAt = now
        self.state.sendProbe()
        try self.flush()
    }
}

extension UInt64 {
    /// This time plus a number of milliseconds.
    fileprivate func after(_ milliseconds: Int) -> UInt64 {
        self.addingClamped(UInt64(clamping: milliseconds).multipliedReportingOverflow(by: 1_000_000).partialValue)
    }
}
