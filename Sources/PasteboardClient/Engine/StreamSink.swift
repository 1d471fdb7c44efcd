package import PasteboardTransport
package import PasteboardWire

/// An object that takes the events of a stream as they arrive, for requests that no task waits for all the time.
///
/// ## Lock order
///
/// A thread that holds one of these locks takes only locks of a later line:
///
/// 1. the state of `Brokers`
/// 2. `BrokerConnection.core`
/// 3. the state of a sink, and the session that a destination contains
/// 4. all others, such as the inbox, the loop's state and the results, under which no further lock is taken
///
/// No lock is held while the program's code runs, a task is resumed, or a value of the program is released.
///
/// The properties, and all methods but `deliver`, are called while `core` is held.
package protocol StreamSink: AnyObject, Sendable {
    /// Whether the result is no longer needed, so that the request need not be made.
    var isCancelled: Bool { get }
    /// Whether a cancellation ends the request. Otherwise it only ends the wait: the answer still has to be handled.
    var endsWhenCancelled: Bool { get }
    /// Whether the stream publishes promises, for which the broker asks by their handle.
    var isPublication: Bool { get }
    /// Called when the request has been made, before its frames are sent.
    func opened(_ stream: UInt64)
    /// Handles an event other than a failure or an ask. It may change the sink's own state, but must not resume a task
    /// or run the program's code. A sink that takes bytes of a load calls `client.consumed`, which grants new credit.
    ///
    /// - Parameters:
    ///   - bytes: the buffer that contains the payload of a data event.
    ///   - memory: the memory of `bytes`, if it can be lent.
    /// - Returns: whether `deliver` has to be called. After the end of the stream it is called anyway.
    func handle(
        _ event: ClientEvent,
        in bytes: Span<UInt8>,
        of memory: ReadMemory?,
        _ client: inout ClientState
    ) -> Bool
    /// Called when the stream has failed. `deliver` follows.
    func failed(_ failure: Failure)
    /// Called when the whole connection has failed, also if it had before the request. `deliver` follows. A sink whose
    /// request is made again over the next connection records the loss, and reports no failure to the program.
    func lost(_ failure: Failure, _ loss: Loss)
    /// Passes what is new to the program. Called without a lock, on the loop's thread or on one that changes the
    /// connection; perhaps by two threads at once, and perhaps without news. It must not block.
    func deliver()
    /// Called when the broker asks for a promise of the publication.
    ///
    /// - Returns: the answer, which is started after unlocking; nil if there is no such promise.
    func asked(_ ask: AskFields, on stream: StreamReference) -> (any AskWork)?
    /// Called when a drag session has entered the destination that this stream registered.
    ///
    /// - Returns: the sink of the session's own stream.
    func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)?
}

/// The answer to an ask for a promise of a sink. It uses a reference to the stream of the ask.
package protocol AskWork: AnyObject, Sendable {
    /// Called once, without a lock.
    func start()
    /// Called without a lock when the ask ends before it is answered completely.
    func cancel()
}

extension StreamSink {
    package var isCancelled: Bool { false }

    package var endsWhenCancelled: Bool { true }

    package var isPublication: Bool { false }

    package func opened(_ stream: UInt64) {}

    package func lost(_ failure: Failure, _: Loss) { failed(failure) }

    package func asked(_ ask: AskFields, on stream: StreamReference) -> (any AskWork)? { nil }

    package func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)? { nil }
}

// Requests whose events go to a sink.
extension BrokerConnection {
    /// Makes a request, unless it was cancelled. All events of its stream are passed to `sink`.
    ///
    /// - Returns: the stream; nil if the sink was cancelled, or if the request failed: then `failed` or `lost` was
    ///   called, and `deliver` follows.
    @discardableResult
    package func open(
        _ sink: any StreamSink,
        _ request: @Sendable (inout ClientState) throws(Failure) -> UInt64
    ) -> StreamReference? {
        change { core in
            core.open(sink, request).map { StreamReference($0, core.streams.slots[$0].serial, of: self) }
        }
    }

    /// Makes a request that need not precede any other: at once, or on the loop's thread while the inbox collects.
    package func openSoon(
        _ sink: any StreamSink,
        _ request: @escaping @Sendable (inout ClientState) throws(Failure) -> UInt64
    ) {
        changeSoon { _ = $0.open(sink, request) }
    }

    /// Cancels a request whose result is no longer needed. Answers of contents that are under way continue.
    package func cancel(_ sink: any StreamSink) {
        change { core in
            guard sink.endsWhenCancelled, let (index, stream) = core.streams.openStream(of: sink) else { return }
            core.streams.end(sinkAt: index)
            if StreamID(stream).isOpenedByBroker { core.io.state.leave(stream) } else { core.io.state.cancel(stream) }
        }
    }

    /// Passes no further events to a publication that continues at another broker, also not the loss of this
    /// connection. Its answers that are under way continue.
    package func forget(_ sink: any StreamSink) {
        change { core in
            guard let (index, stream) = core.streams.openStream(of: sink) else { return }
            core.io.state.setOwner(0, of: stream)
            core.streams.end(sinkAt: index)
        }
    }

    /// Changes the state of open streams, and sends the resulting frames.
    package func tell(_ wish: @Sendable (inout ClientState) -> Void) { change { wish(&$0.io.state) } }

    /// Returns when all answers of a publication were sent, or at a time (see `MonotonicClock`).
    package func answersEnded(of sink: any StreamSink, until deadline: UInt64) async {
        await answersEnded(until: deadline) { streams in streams.index(of: sink) }
    }
}

// The answers of sinks. Nothing is done once the ask is over.
extension StreamReference {
    /// Answers with all bytes, as far as credit and the socket allow.
    ///
    /// - Parameter goOn: called without a lock, with the number of bytes that were sent, if that are not all.
    package func answer(
        _ bytes: @escaping OutgoingBytes,
        count: Int,
        orElse goOn: @escaping @Sendable (_ sent: Int) -> Void
    ) {
        connection.changeSoon { [slot, serial] core in
            guard core.streams.isUse(serial, of: slot) else { return }
            // A few bytes are a single frame, whose length is the size.
            if count > WireLimits.sharedDataLength {
                core.io.state.answer(core.streams.slots[slot].stream, byteCount: UInt64(count))
            }
            var sent = 0
            if core.send(bytes, from: &sent, isLast: true, on: slot) { return core.streams.finishAnswer(slot) }
            core.streams.act { [sent] in goOn(sent) }
        }
    }

    /// Answers with a descriptor: the bytes are the first `byteCount` of the file.
    ///
    /// - Parameter path: the path of the file, if others may open it there.
    /// - Returns: false if the ask accepts none; then the bytes are to be sent.
    package func answer(_ file: DescriptorBox, byteCount: UInt64, path: String?, fileName: String?) -> Bool {
        use { core, stream in
            let isPassed = core.io.pass(file, byteCount: byteCount, path: path, fileName: fileName, on: stream)
            if isPassed { core.streams.finishAnswer(slot) }
            return isPassed
        } ?? true
    }

    /// Ends the answer: with a failure, or because all bytes were sent.
    package func endAnswer(_ failure: Failure? = nil) {
        use { core, stream in
            if let failure { core.io.state.fail(stream, failure) } else { core.io.state.end(stream) }
            core.streams.finishAnswer(slot)
        }
    }
}

extension BrokerConnection.Core {
    /// - Returns: the slot; nil if the request was cancelled or cannot be made.
    mutating func open(
        _ sink: any StreamSink,
        _ request: (inout ClientState) throws(Failure) -> UInt64
    ) -> Int? {
        guard !sink.isCancelled else { return nil }
        let index = streams.add()
        io.state.owner = UInt32(index)
        streams.slots[index].sink = sink
        do throws(Failure) {
            let stream = try request(&io.state)
            streams.slots[index].stream = stream
            if sink.isPublication { streams.slots[index].handle = 0 }
            sink.opened(stream)
            return index
        } catch {
            let loss = io.loss(of: error)
            if loss == .other { sink.failed(error) } else { sink.lost(error, loss) }
            streams.end(sinkAt: index)
            return nil
        }
    }
}

extension Streams {
    /// Passes an event to the sink of its stream.
    @inline(__always)
    mutating func pass(
        _ event: ClientEvent,
        to sink: any StreamSink,
        at index: Int,
        in bytes: Span<UInt8>,
        of memory: ReadMemory?,
        _ state: inout ClientState,
        isEnd: Bool = false
    ) {
        let isNews = sink.handle(event, in: bytes, of: memory, &state)
        if isEnd { end(sinkAt: index) } else if isNews { deliver(sink) }
    }

    @inline(never)
    mutating func passOther(
        _ event: ClientEvent,
        at index: Int,
        in bytes: Span<UInt8>,
        _ state: inout ClientState
    ) {
        guard let sink = slots[index].sink else { return }
        switch event {
        case .failed(_, let failure):
            sink.failed(failure)
            end(sinkAt: index)
        case .ended, .passed:
            pass(event, to: sink, at: index, in: bytes, of: nil, &state, isEnd: true)
        case .session(let stream, let session):
            // Only the stream of a destination has a sink for another stream.
            guard let arrived = sink.sessionArrived(stream, session) else {
                return pass(event, to: sink, at: index, in: bytes, of: nil, &state)
            }
            let slot = add(stream)
            slots[slot].sink = arrived
            state.setOwner(UInt32(slot), of: stream)
        default:
            if case .committed(_, let committed) = event { publish(committed.handle, at: index) }
            pass(event, to: sink, at: index, in: bytes, of: nil, &state)
        }
    }

    func index(of sink: any StreamSink) -> Int? { slots.firstIndex { $0.sink === sink } }

    func openStream(of sink: any StreamSink) -> (index: Int, stream: UInt64)? {
        index(of: sink).flatMap { slots[$0].isOver ? nil : ($0, slots[$0].stream) }
    }

    /// Frees the slot of a stream that has ended. Contents stay while asks of this connection are open: the broker
    /// sends only so many at once, and may have held back one for a load that began before the end.
    mutating func end(sinkAt index: Int) {
        if let sink = slots[index].sink { deliver(sink) }
        if slots[index].handle ?? 0 != 0, openAsks > 0 {
            slots[index].isOver = true
            lastPublications.append(index)
        } else {
            _ = remove(index)
        }
    }

    mutating func asked(
        _ fields: AskFields,
        on stream: StreamReference,
        of sink: any StreamSink,
        in bytes: Span<UInt8>,
        _ state: inout ClientState
    ) {
        if let work = sink.asked(fields, on: stream) {
            slots[stream.slot].handler = .work(work)
            start(work)
        } else {
            let text = "the source no longer has the representation \(fields.type(in: bytes))"
            state.fail(slots[stream.slot].stream, Failure(.sourceGone, text))
            _ = remove(stream.slot)
        }
    }

    mutating func forgetLastPublications() {
        guard openAsks == 0, !lastPublications.isEmpty else { return }
        for index in exchange(&lastPublications, with: []) {
            // Released after unlocking.
            if let sink = slots[index].sink { deliver(sink) }
            _ = remove(index)
        }
    }
}
