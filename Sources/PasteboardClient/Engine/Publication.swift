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
    var shared: StreamReference { stream.shared }

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
    consuming func leave() { stream.leave() }
}

extension Publication {
    /// Answers asks, until the contents end and no answer is under way.
    ///
    /// - Parameter ended: called when the contents have ended, while answers may be under way.
    /// - Returns: how the contents have ended.
    package mutating func serve(
        _ handler: @escaping AskStream.Handler,
        ended: (End) -> Void
    ) async throws(RequestFailure) -> End {
        while true {
            switch try await next(answering: handler, or: []) {
            case .ended(_, let end)?:
                ended(end)
                while stream.hasAnswers, !Task.isCancelled {
                    await stream.wait(for: .quiet)
                    answerArrived(handler)
                }
                // The end of the last load must not be lost.
                await stream.sent()
                return end
            default: break
            }
        }
    }

    /// Answers asks until the connection ends or the task is cancelled, also those of loads that began before the
    /// contents have ended.
    ///
    /// - Parameter ended: called when the contents have ended.
    mutating func serveAlsoLate(_ handler: @escaping AskStream.Handler, ended: () -> Void) async {
        do throws(RequestFailure) {
            while true { if case .ended? = try await next(answering: handler, or: []) { break } }
        } catch {}
        ended()
        while !Task.isCancelled, stream.connection.failure == nil {
            await stream.wait(for: .lateAsk)
            answerArrived(handler)
        }
    }

    private mutating func answerArrived(_ handler: @escaping AskStream.Handler) {
        while case .asked(let slot, let fields)? = stream.arrivedEvent() {
            stream.connection.answer(Int(slot), fields, handler)
        }
    }

    /// Passes this value to a task of its own.
    consuming func inTask(_ body: @escaping @Sendable (inout Publication) async -> Void) -> Task<Void, Never> {
        let loop = connection.loop
        let box = Lock<Publication?>(self)
        return Task(executorPreference: loop) {
            if var publication = box.withLock({ $0.take() }) { await body(&publication) }
        }
    }

    /// The next event that is no ask. Asks are answered.
    ///
    /// - Parameter interests: descriptors whose readiness ends the wait, too.
    /// - Returns: nil if a descriptor is ready.
    package mutating func next(
        answering handler: @escaping AskStream.Handler,
        or interests: [PollInterest]
    ) async throws(RequestFailure) -> ClientEvent? {
        while let event = try await stream.next(at: .standing, or: interests) {
            guard case .asked(let slot, let fields) = event else { return event }
            stream.connection.answer(Int(slot), fields, handler)
        }
        return nil
    }
}
