package import PasteboardTransport
package import PasteboardWire

/// An ask of the broker for promised bytes, and its only answerer. If it ends before the last bytes, the load fails.
package struct AskStream: ~Copyable, Sendable {
    /// Answers an ask. It is cancelled when the ask ends; if it throws, the load fails with its error.
    package typealias Handler = @Sendable (inout AskStream) async throws -> Void

    private var stream: BrokerStream
    package let fields: AskFields

    fileprivate init(_ stream: consuming BrokerStream, _ fields: AskFields) {
        self.stream = stream
        self.fields = fields
    }

    package var connection: BrokerConnection { stream.connection }
    package var item: Int { Int(clamping: fields.item) }
    package var representation: Int { Int(clamping: fields.representation) }

    /// Whether the load has ended.
    package var isOver: Bool { connection.core.withLock { [slot = stream.slot] in $0.streams.slots[slot].isOver } }

    /// The number of bytes that may be sent now; 0 also while the socket is full.
    package var room: Int {
        connection.core.withLock { [slot = stream.slot] core in
            guard core.io.waitingCount < WireLimits.sharedDataLength else { return 0 }
            return core.io.state.sendable(core.streams.slots[slot].stream) ?? 0
        }
    }

    /// Waits until more bytes may be sent, for descriptors, or until a time (see `MonotonicClock`).
    ///
    /// - Parameter needsRoom: whether to wait for room.
    /// - Throws: `cancelled` if the load has ended.
    package func wait(
        forRoom needsRoom: Bool,
        or interests: [PollInterest],
        until end: UInt64
    ) async throws(RequestFailure) {
        await stream.wait(for: needsRoom ? .room : .event, or: interests, until: end)
        try stream.check(.standing)
    }

    // MARK: The answer

    /// Announces the size of the bytes, if it is known, and their form. May be called once, before the first byte.
    package func announce(byteCount: UInt64?, content: ContentForm? = nil, fileName: String? = nil) {
        stream.tell { $0.answer($1, byteCount: byteCount, content: content, fileName: fileName) }
    }

    /// Reports progress, so that the broker waits longer for the next bytes.
    package func report(completed: UInt64, of total: UInt64? = nil) {
        stream.tell { $0.progress($1, completed: completed, total: total) }
    }

    /// Reports that the load goes on, until the returned task is cancelled or the load ends.
    ///
    /// - Parameter interval: the time between two reports, in milliseconds.
    func startReports(every interval: Int) -> Task<Void, Never> {
        Task(executorPreference: connection.loop) { [stream = stream.shared] in
            while true {
                await stream.connection.loop.sleep(until: MonotonicClock.deadline(milliseconds: interval))
                if Task.isCancelled { return }
                // Reports that a broker does not read must not fill the memory.
                if stream.connection.core.withLock({ $0.io.waitingCount < WireLimits.sharedDataLength }) {
                    stream.tell { $0.progress($1, completed: nil, total: nil) }
                }
            }
        }
    }

    /// Answers with a descriptor: the bytes are the first `byteCount` of the file.
    ///
    /// - Returns: false if the ask accepts none; then the bytes are to be sent.
    package func pass(_ file: DescriptorBox, byteCount: UInt64) -> Bool {
        connection.change { [slot = stream.slot] core in
            core.io.pass(file, byteCount: byteCount, on: core.streams.slots[slot].stream)
        }
    }

    /// Sends bytes, as fast as the destination takes them.
    package mutating func send(_ bytes: [UInt8], isLast: Bool = false) async throws(RequestFailure) {
        try await stream.send(bytes, isLast: isLast, at: .standing, sendsNow: true)
    }

    /// Ends the load: all bytes were sent.
    package func end() { stream.tell { $0.end($1) } }

    fileprivate func fail(_ error: any Error) {
        let failure = (error as? RequestFailure)?.failure ?? error as? Failure ?? Failure(.sourceFailed, "\(error)")
        stream.tell { $0.fail($1, failure) }
    }

    /// Detaches the task that has answered, so that the end of the stream does not cancel it.
    fileprivate func finish() {
        connection.core.withLock { [slot = stream.slot] in $0.streams.slots[slot].handler = nil }
    }
}

extension BrokerConnection {
    /// Returns when all answers of all contents were sent, or at a time (see `MonotonicClock`).
    func answersEnded(until deadline: UInt64) async {
        for handle in core.withLock({ $0.streams.publishedHandles }) {
            await answersEnded(of: handle, until: deadline)
        }
    }

    /// Returns when all answers of contents were sent, or at a time (see `MonotonicClock`).
    func answersEnded(of handle: UInt64?, until deadline: UInt64) async {
        await answersEnded(until: deadline) { $0.publication(of: handle) }
    }

    func answersEnded(until deadline: UInt64, ofSlot publication: (Streams) -> Int?) async {
        // A process created by fork has no loop that ends the wait.
        guard loop.isInOwner else { return }
        let place = BrokerStream(
            change { core in
                let slot = core.place()
                core.streams.limit(slot, to: deadline)
                core.streams.watchAnswers(of: publication(core.streams), from: slot)
                return slot
            },
            of: self
        )
        while place.hasAnswers, !Task.isCancelled { await place.wait(for: .quiet) }
        await place.sent()
    }

    /// Answers an ask in a task of its own, because code of the program may run as long as it wants.
    func answer(_ slot: Int, _ fields: AskFields, _ handler: @escaping AskStream.Handler) {
        change { core in
            let task = Task(executorPreference: loop) { [self] in
                var ask = AskStream(BrokerStream(slot, of: self), fields)
                do { try await handler(&ask) } catch { ask.fail(error) }
                ask.finish()
            }
            core.streams.setHandler(.task(task), of: slot)
        }
    }
}
