package import PasteboardTransport
package import PasteboardWire

/// A connected socket and what flows through it: the one way between `ClientState` and the kernel.
///
/// It waits only in `turn`. Else a driver polls `descriptor`, calls `pump` when it is readable and `flush` when it is writable or after
/// it made wishes to `state`, and `check` when `nextCheck` has come. A `Failure` thrown here means that the connection
/// is over; the driver then tells `state.connectionLost` and whoever waited.
package struct ConnectionIO: ~Copyable {
    /// Payloads of this size go straight to a socket that nothing waits for.
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
    /// A failed write ends the direction of writing alone: what the broker had sent before is still read. Then the
    /// connection is given up, because nobody gets anything from this process any more.
    private var writeFailure: String?
    /// Whether the connection was closed without a reason: the broker was not given up for its silence or its farewell.
    private var isGone = false
    /// Writes whose memory file the system would not pass.
    private var refusedWrites: Set<UInt64> = []
    /// A child of a fork shares the socket, and would write into the middle of its parent's frames.
    private let owner = ForkGuard()

    /// How long receiving waits on the socket, in milliseconds, 0 for ever; nil while it does not.
    var receiveTimeout: Int?

    private let connectedAt = MonotonicClock.now()
    private var heardAt = MonotonicClock.now()
    private var probedAt: UInt64?

    /// - Parameters:
    ///   - path: where the broker is, for errors.
    ///   - closer: closes what is passed to this client, for a driver that must not wait for a dead file system.
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

    /// Whether the socket has not taken everything: `flush` when it is writable.
    // `mutating`, like the next: a borrowing call would copy the whole connection for its callee.
    package var wantsWrite: Bool { mutating get { !self.output.isEmpty } }

    /// Whether writing has failed: `check` or `pump` gives the connection up as soon as nothing is left to be read.
    package var cannotWrite: Bool { self.writeFailure != nil }

    /// Whether the broker has closed the connection without an answer to hello. A broker that is ending accepts
    /// connections for another moment: a client that has met one connects again, which starts the next broker.
    package var isGoneUnanswered: Bool { self.isGone && self.state.welcome == nil }

    /// How many bytes wait for the socket.
    package var waitingCount: Int { mutating get { self.output.controlCount + self.output.streamCount } }

    // MARK: Reading

    /// Reads once, and gives what came to `handle`, which may make wishes to the state right away.
    ///
    /// - Parameter waiting: waits for bytes as long as the socket is set up to; then there is nothing more to read.
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
                // They come with the first byte of their frame, which may not be complete yet.
                guard self.descriptors.isEmpty || consumed < bytes.count && self.descriptors.count == 1 else {
                    throw .violation("descriptors came that no frame announces")
                }
            }
        } catch {
            // It is told why; whether that arrives makes no difference.
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

    /// Hands all frames to the socket, as far as it takes them.
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
            // A broker that takes bytes is alive.
            if self.output.controlCount + self.output.streamCount < waiting, self.probedAt == nil {
                self.heardAt = MonotonicClock.recent()
            }
        } catch {
            self.closeWriting(error)
        }
    }

    /// Sends one data frame of a write or an ask, with as many of the bytes as it may carry now. A small one waits for
    /// the next `flush`, so that several share a write.
    ///
    /// - Returns: how many bytes it carries; nil if nothing may be sent: the stream is over or has no credit.
    package mutating func send(_ bytes: Span<UInt8>, on stream: UInt64, last: Bool) throws(Failure) -> Int? {
        guard let header = self.state.dataHeader(on: stream, count: bytes.count, last: last) else { return nil }
        let count = Int(header.length)
        let payload = bytes.extracting(0..<count)
        self.collect()
        guard count >= Self.directSendSize, self.writeFailure == nil else {
            self.output.appendStream(header: header, payload: payload)
            return count
        }
        // What precedes it goes first; with nothing in its way the socket takes the payload from where it is.
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

    /// Answers an ask with a descriptor: the bytes are the file's first `byteCount`. With the next `flush` it leaves.
    ///
    /// - Parameter path: where the file lies, if others may open it there.
    /// - Returns: false if the ask takes none; then the bytes are to be sent inline, or nobody wants them any more.
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

    /// Gives a memory file with all four seals as the next kept representation of a write. With the next `flush` it
    /// leaves, unless the system refuses to pass it (see `takeRefusal`).
    ///
    /// - Returns: false if the broker takes none; then the bytes are to be sent.
    package mutating func passKept(_ file: MemoryFile, on stream: UInt64) -> Bool {
        self.collect()
        guard self.state.passKept(stream) else { return false }
        self.output.markDescriptors([file.descriptor], name: stream)
        self.collect()
        return true
    }

    /// Whether the system has refused to pass the memory file that was given last to a write: then the bytes are to be
    /// sent. Known once nothing waits for the socket.
    package mutating func takeRefusal(of stream: UInt64) -> Bool {
        self.refusedWrites.remove(stream) != nil
    }

    /// What the system would not pass: the driver of a write sends it inline, an ask fails alone.
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

    /// Moves the state's frames to the output. The arrays are let go of before they are emptied, which else would copy
    /// them.
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

    /// Tells the broker that nothing more comes, now and whoever still holds the descriptor: unless this is a child of the
    /// connection's process, whose socket it shares.
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

    /// When `check` is to be called unless something comes before (see `MonotonicClock`).
    package var nextCheck: UInt64 {
        mutating get {
            if self.writeFailure != nil { return 0 }
            if !self.state.isWelcomed { return self.connectedAt.after(self.timeouts.welcome) }
            guard self.state.isAwaiting || self.wantsWrite else { return .max }
            return self.probedAt?.after(self.timeouts.probe) ?? self.heardAt.after(self.timeouts.silence)
        }
    }

    /// The time of `nextCheck` has come, and nothing is there to be read: asks for a sign of life, or gives the broker
    /// up.
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
    /// The time so many milliseconds later.
    fileprivate func after(_ milliseconds: Int) -> UInt64 {
        self.addingClamped(UInt64(clamping: milliseconds).multipliedReportingOverflow(by: 1_000_000).partialValue)
    }
}
