package import PasteboardTransport
package import PasteboardWire

/// An open stream of a connection, and its only reader. Its end ends the stream: it cancels a load, discards a write
/// before its commit, and withdraws contents after it.
package struct BrokerStream: ~Copyable, Sendable {
    let slot: Int
    package let connection: BrokerConnection

    /// - Parameter slot: a slot of the connection, which this value owns from now on.
    init(_ slot: Int, of connection: BrokerConnection) {
        self.slot = slot
        self.connection = connection
    }

    deinit {
        connection.change { [slot] in $0.remove(slot) }
    }

    /// The stream, for others than its reader.
    package var shared: StreamReference { StreamReference(slot, of: connection) }

    /// Changes the state of the stream, and sends the resulting frames.
    package func tell(_ body: @Sendable (inout ClientState, UInt64) -> Void) {
        connection.change { [slot] core in body(&core.io.state, core.streams.slots[slot].stream) }
    }

    /// Removes the deadline with which the stream was opened.
    package func removeDeadline() { connection.core.withLock { [slot] in $0.streams.limit(slot, to: .max) } }

    /// Ends the reader, and leaves what was written at the broker.
    package consuming func leave() {
        connection.core.withLock { [slot] core in
            core.io.state.setOwner(0, of: core.streams.slots[slot].stream)
            core.streams.slots[slot].isOver = true
        }
    }

    /// The next event.
    ///
    /// - Parameters:
    ///   - reached: the progress of the request, for its failure.
    ///   - interests: descriptors whose readiness ends the wait, too.
    /// - Returns: nil if a descriptor is ready, or after a nudge.
    package mutating func next(
        at reached: Recovery.Reached,
        or interests: [PollInterest]
    ) async throws(RequestFailure) -> ClientEvent? {
        if let event = try arrived(reached) { return event }
        if interests.isEmpty { await wait(for: .event) } else { await shared.wait(for: .event, or: interests) }
        return try arrived(reached)
    }

    /// The next event.
    ///
    /// - Parameter reached: the progress of the request, for its failure.
    package mutating func next(at reached: Recovery.Reached) async throws(RequestFailure) -> ClientEvent {
        while true { if let event = try await next(at: reached, or: []) { return event } }
    }

    /// Returns what `handle` makes of the events.
    ///
    /// - Parameter reached: the progress as long as there is no answer.
    package mutating func answer<Value>(
        at reached: Recovery.Reached = .uncommitted,
        _ handle: (ClientEvent) -> Value?
    ) async throws(RequestFailure) -> Value {
        while true {
            if let value = handle(try await next(at: reached)) { return value }
        }
    }

    /// Takes the first event. An end may arrive together with the last event, so both are looked for at once.
    ///
    /// - Returns: nil if none has arrived.
    private func arrived(_ reached: Recovery.Reached) throws(RequestFailure) -> ClientEvent? {
        let (event, failure) = connection.core.withLock { [slot] core -> (ClientEvent?, RequestFailure?) in
            guard core.streams.slots[slot].events.isEmpty else {
                return (core.streams.slots[slot].events.removeFirst(), nil)
            }
            return (nil, core.failure(of: slot, at: reached))
        }
        if let event { return event }
        if let failure { throw failure }
        if Task.isCancelled { throw .cancelled(at: reached) }
        return nil
    }

    /// Throws the reason why nothing follows on the stream.
    package func check(_ reached: Recovery.Reached) throws(RequestFailure) {
        let failure = connection.core.withLock { [slot] in $0.failure(of: slot, at: reached) }
        if let failure { throw failure }
        if Task.isCancelled { throw .cancelled(at: reached) }
    }

    /// Waits until the socket has taken all bytes, the connection ends, or the time of the stream is over.
    func sent() async {
        while !Task.isCancelled,
            !connection.core.withLock({ [slot] in $0.isSent || $0.streams.slots[slot].isLate })
        {
            await wait(for: .sent)
        }
    }

    /// Whether answers that the slot watches are under way, and its time is not over.
    var hasAnswers: Bool {
        connection.core.withLock { [slot] in $0.streams.hasAnswers(slot) && !$0.streams.slots[slot].isLate }
    }

    /// Waits, on the caller's executor. The caller finds out what has happened.
    func wait(for want: Streams.Want) async { await connection.wait(at: slot, for: want) }
}

extension BrokerConnection {
    /// - Parameter serial: the number of the use of the slot that is meant; nil: any.
    func wait(at slot: Int, _ serial: UInt64? = nil, for want: Streams.Want) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in
                // An earlier cancellation has found no waiter.
                let waits = change { $0.park(waiter, at: slot, serial, for: want) && !Task.isCancelled }
                if !waits { release(slot, serial) }
            }
        } onCancel: {
            release(slot, serial)
        }
    }

    private func release(_ slot: Int, _ serial: UInt64?) {
        change { core in
            if core.streams.isUse(serial, of: slot) { core.streams.release(slot) }
        }
    }
}

/// A reference to a stream. Copies name the same stream, and at most one task makes a reader of it.
package struct StreamReference: Sendable {
    package let connection: BrokerConnection
    let slot: Int
    let serial: UInt64

    init(_ slot: Int, of connection: BrokerConnection) {
        self.init(slot, connection.core.withLock { $0.streams.slots[slot].serial }, of: connection)
    }

    init(_ slot: Int, _ serial: UInt64, of connection: BrokerConnection) {
        self.connection = connection
        self.slot = slot
        self.serial = serial
    }

    package func reader() -> BrokerStream { BrokerStream(slot, of: connection) }

    /// Whether the stream has ended, or its deadline has passed: then nothing is sent on it.
    package var isOver: Bool { !connection.core.withLock { [slot, serial] in $0.streams.isOpen(slot, serial) } }

    /// Whether the stream has ended without a failure, or its slot was freed.
    var hasEnded: Bool {
        connection.core.withLock { [slot, serial] core in
            guard core.streams.isUse(serial, of: slot) else { return true }
            return core.streams.slots[slot].isOver && core.streams.slots[slot].failure == nil
        }
    }

    /// Waits also for descriptors, or until a time.
    func wait(for want: Streams.Want, or interests: [PollInterest], until end: UInt64 = .max) async {
        connection.core.withLock { [slot, serial] core in
            if core.streams.isUse(serial, of: slot) { core.streams.slots[slot].isNudged = false }
        }
        let number = connection.loop.watch(interests, until: end) { nudge() }
        await connection.wait(at: slot, serial, for: want)
        connection.loop.forget(number)
    }

    /// The failure with which the stream has ended, also if it has arrived only now.
    package var failure: Failure? {
        connection.change { [connection, slot, serial] core in
            core.turn(.readable, of: connection)
            return core.streams.slots[slot].serial == serial ? core.streams.slots[slot].failure?.failure : nil
        }
    }

    /// Changes the state of the stream, and sends the resulting frames. Does nothing if the stream has ended.
    package func tell(_ body: (inout ClientState, UInt64) -> Void) {
        use { core, stream in body(&core.io.state, stream) }
    }

    /// - Returns: nil if the stream is over.
    @discardableResult
    func use<Value: Sendable>(_ body: (inout BrokerConnection.Core, UInt64) -> Value) -> Value? {
        connection.change { [slot, serial] core in
            guard core.streams.isOpen(slot, serial) else { return nil }
            return body(&core, core.streams.slots[slot].stream)
        }
    }

    /// Reports that a write continues, unless its bytes wait for the socket.
    package func keepAlive() {
        use { core, stream in if core.isSent { core.io.state.keepAlive(stream) } }
    }

    /// Sends bytes of a write or an answer, as fast as the broker grants credit and the socket takes them.
    ///
    /// - Parameters:
    ///   - bytes: calls its argument with the bytes.
    ///   - sent: the number of bytes that were sent before.
    /// - Returns: false if the stream has ended, or if the task is cancelled.
    package func send(_ bytes: @escaping OutgoingBytes, from sent: Int = 0, isLast: Bool) async -> Bool {
        await connection.send(bytes, from: sent, isLast: isLast, at: slot, serial)
    }

    /// Ends the bytes of a representation of a write, and adds the frames that follow directly, without a moment in
    /// which others could be sent on the stream.
    ///
    /// - Returns: false if the stream has ended.
    package func endBytes(
        _ next: (inout ClientState, UInt64) throws(Failure) -> Void = { _, _ in }
    ) throws(Failure) -> Bool {
        let outcome = use { core, stream -> Failure? in
            do throws(Failure) {
                // The frame is empty, so it needs no room.
                _ = try core.io.send(Span(), on: stream, last: true)
                try next(&core.io.state, stream)
                return nil
            } catch {
                return error
            }
        }
        guard let outcome else { return false }
        if let failure = outcome { throw failure }
        return true
    }

    /// Ends the stream. Answers that are under way continue, and asks may still arrive.
    package func cancel() {
        connection.change { [slot, serial] core in
            guard core.streams.slots[slot].serial == serial else { return }
            core.io.state.cancel(core.streams.slots[slot].stream)
            core.streams.end(slot)
        }
    }

    /// Ends the present wait of the reader, or the next one.
    package func nudge() { connection.change { [slot, serial] in $0.streams.nudge(slot, serial) } }
}

extension RequestFailure {
    static func cancelled(at reached: Recovery.Reached) -> RequestFailure {
        RequestFailure(Failure(.cancelled, "the request was cancelled"), .other, at: reached)
    }
}
