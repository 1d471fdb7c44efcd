package import PasteboardTransport
package import PasteboardWire

/// Contents that were written, or a drag session that was offered. Their promises exist as long as this value.
package struct Publication: ~Copyable, Sendable {
    private var stream: BrokerStream
    package let committed: Committed

    init(_ stream: consuming BrokerStream, _ committed: Committed) {
        self.stream = stream
        self.committed = committed
    }

    package var connection: BrokerConnection { stream.connection }
    /// The stream, for others than its reader.
    package var shared: StreamReference { stream.shared }

    /// Changes the state of the stream, and sends the resulting frames.
    package func tell(_ body: @Sendable (inout ClientState, UInt64) -> Void) { stream.tell(body) }

    /// Begins a drag session, and moves it.
    package func begin(at location: Location, sequence: UInt64) throws(Failure) {
        let failure = connection.change { [slot = stream.slot] core -> Failure? in
            let stream = core.streams.slots[slot].stream
            core.io.state.begin(stream)
            do throws(Failure) {
                try core.io.state.move(stream, to: location, sequence: sequence)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Ends this value, and leaves the contents at the broker.
    package consuming func leave() { stream.leave() }

    /// The next event.
    ///
    /// - Parameter interests: descriptors whose readiness ends the wait, too.
    /// - Returns: nil if a descriptor is ready, or after a nudge.
    package mutating func next(or interests: [PollInterest] = []) async throws(RequestFailure) -> ClientEvent? {
        try await stream.next(at: .standing, or: interests)
    }

    /// Waits for the end of the contents. Answers may be under way after it.
    ///
    /// - Returns: nil after a nudge.
    package mutating func ended() async throws(RequestFailure) -> EndReason? {
        while let event = try await next() { if case .ended(_, let end) = event { return end.reason ?? .replaced } }
        return nil
    }

    /// Passes this value to a task of its own.
    consuming func inTask(_ body: @escaping @Sendable (inout Publication) async -> Void) -> Task<Void, Never> {
        let loop = connection.loop
        let box = Lock<Publication?>(self)
        return Task(executorPreference: loop) {
            if var publication = box.withLock({ $0.take() }) { await body(&publication) }
        }
    }
}
