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
/// 3. the state of a sink, of published items or of a destination, which answerers and arrivals take
/// 4. all others, such as the inbox, the loop's state and the results, under which no further lock is taken
///
/// No lock is held while the program's code runs, a task is resumed, or a value of the program is released.
///
/// The properties, and all methods but `deliver`, are called while `core` is held.
package protocol StreamSink: AnyObject, Sendable {
    /// Whether the result is no longer needed, so that the request need not be made.
    var isCancelled: Bool { get }
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
    /// Called when the stream or the connection has failed. `deliver` follows.
    func failed(_ failure: Failure)
    /// Passes what is new to the program. Called without a lock, on the loop's thread or on one that changes the
    /// connection; perhaps by two threads at once, and perhaps without news. It must not block.
    func deliver()
}

extension StreamSink {
    package var isCancelled: Bool { false }

    package func opened(_ stream: UInt64) {}

}

// Requests whose events go to a sink.
extension BrokerConnection {
    /// Makes a request, unless it was cancelled. All events of its stream are passed to `sink`.
    ///
    /// - Parameter answerer: answers the asks for what the request publishes.
    /// - Returns: the stream; nil if the sink was cancelled, or if the request failed: then `failed` was called, and
    ///   `deliver` follows.
    @discardableResult
    package func open(
        _ sink: any StreamSink,
        answering answerer: Answerer? = nil,
        _ request: @Sendable (inout ClientState) throws(Failure) -> UInt64
    ) -> StreamReference? {
        change { core in
            core.open(sink, answering: answerer, request).map {
                StreamReference($0, core.streams.slots[$0].serial, of: self)
            }
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
            guard let (index, stream) = core.streams.openStream(of: sink) else { return }
            core.streams.end(sinkAt: index)
            if StreamID(stream).isOpenedByBroker { core.io.state.leave(stream) } else { core.io.state.cancel(stream) }
        }
    }

    /// Changes the state of open streams, and sends the resulting frames.
    @discardableResult
    package func tell<Value: Sendable>(_ wish: (inout ClientState) -> Value) -> Value { change { wish(&$0.io.state) } }
}

extension BrokerConnection.Core {
    /// - Returns: the slot; nil if the request was cancelled or cannot be made.
    mutating func open(
        _ sink: any StreamSink,
        answering answerer: Answerer? = nil,
        _ request: (inout ClientState) throws(Failure) -> UInt64
    ) -> Int? {
        guard !sink.isCancelled else { return nil }
        let index = streams.add()
        io.state.owner = UInt32(index)
        streams.slots[index].sink = sink
        do throws(Failure) {
            let stream = try request(&io.state)
            streams.slots[index].stream = stream
            streams.slots[index].answerer = answerer
            sink.opened(stream)
            return index
        } catch {
            sink.failed(error)
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
        default:
            if case .committed(_, let committed) = event { publish(committed.handle, at: index) }
            pass(event, to: sink, at: index, in: bytes, of: nil, &state)
        }
    }

    func index(of sink: any StreamSink) -> Int? { slots.firstIndex { $0.sink === sink } }

    func openStream(of sink: any StreamSink) -> (index: Int, stream: UInt64)? {
        index(of: sink).flatMap { slots[$0].isOver ? nil : ($0, slots[$0].stream) }
    }

    /// Frees the slot of a stream that has ended.
    mutating func end(sinkAt index: Int) {
        if let sink = slots[index].sink { deliver(sink) }
        _ = remove(index)
    }
}
