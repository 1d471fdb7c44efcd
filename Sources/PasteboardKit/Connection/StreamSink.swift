import FoundationEssentials
import PasteboardClient
import PasteboardWire

/// The receiver of the events of one stream.
///
/// All `received` calls and ``failed(_:_:)`` are made under the connection's lock. They may change the sink's own
/// state, but must not resume a task or run the program's code. That is left to ``deliver(_:)``, which an effect calls
/// after the lock is released.
protocol StreamSink: AnyObject, Sendable {
    /// Whether the result is no longer needed, so that the request need not be made.
    var isCancelled: Bool { get }
    /// Whether a cancellation ends the request. Otherwise it only ends the wait: the answer still has to be taken.
    var endsWhenCancelled: Bool { get }
    /// Called when the request has been made.
    func opened(_ stream: UInt64)
    /// - Parameter bytes: the buffer that contains the payload of a data event.
    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect])
    /// Receives bytes of a load, in order. A sink that returns `held` later reports to the connection that it has
    /// consumed them.
    func received(_ bytes: Span<UInt8>, isLast: Bool, _ effects: inout [ConnectionEffect]) -> BytesDisposal
    /// Whether many bytes are received as data that refers to the memory of the read, without a copy.
    var borrowsBytes: Bool { get }
    /// Receives bytes as the other method does.
    func received(_ bytes: Data, isLast: Bool, _ effects: inout [ConnectionEffect]) -> BytesDisposal
    /// Called when the whole connection has failed. A sink that is restored over the next connection does not fail.
    func lost(_ failure: Failure, _ effects: inout [ConnectionEffect])
    /// Called when the stream has failed, or by default the whole connection.
    func failed(_ failure: Failure, _ effects: inout [ConnectionEffect])
    /// Passes an event or the result on to the program. Called without a lock.
    func deliver(_ delivery: SinkDelivery)
    /// Whether the stream is open for the lifetime of a publication, whose promises the broker asks for by its handle.
    var isPublication: Bool { get }
    /// The handler that makes the bytes of a promise.
    func handler(item: UInt32, representation: UInt32) -> DataHandler?
    /// Called when a drag session has entered the destination that this stream registered.
    ///
    /// - Returns: the sink of the session's own stream.
    func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)?
}

/// The event or result that a sink passes on to the program.
enum SinkDelivery: Sendable {
    /// The state of the sink has changed.
    case changed
    /// The request or load is complete.
    case finished
    case progress(completed: Int64, total: Int64?)
    indirect case answered(Answer)
    indirect case event(ClientEvent)
    indirect case failed(Failure)
}

/// An action that results from a change of a connection, and is performed after the connection's lock is released.
///
/// Effects are performed in the order in which the change adds them. They are values, so that a test can examine them.
/// ``LiveConnection`` performs them.
enum ConnectionEffect: Sendable {
    case deliver(SinkDelivery, to: any StreamSink)
    /// Ends a wait: for the broker's welcome, or for the end of a publication's answers.
    case resolve(PendingResult<Void>, Failure?)
    /// Calls the handler of a representation that the broker has asked for.
    case start(HandlerRun)
    case cancel(HandlerRun)
    case cancelChunks(any ChunkSource)
    /// Asks for the next chunk of an answer.
    case nextChunk(of: any ChunkSource, ask: UInt64)
    /// Reports that the connection has ended, after its sinks were notified.
    case lost(Failure, Loss?)
    /// Releases values whose deinit may run the program's code.
    case release([DiscardedValue])
}

enum BytesDisposal {
    case consumed
    case held
}

extension StreamSink {
    func opened(_ stream: UInt64) {}

    func lost(_ failure: Failure, _ effects: inout [ConnectionEffect]) {
        failed(failure, &effects)
    }

    var isPublication: Bool { false }

    var endsWhenCancelled: Bool { true }

    func handler(item: UInt32, representation: UInt32) -> DataHandler? { nil }

    func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)? { nil }

    func received(_ bytes: Span<UInt8>, isLast: Bool, _ effects: inout [ConnectionEffect]) -> BytesDisposal {
        .consumed
    }

    var borrowsBytes: Bool { false }

    func received(_ bytes: Data, isLast: Bool, _ effects: inout [ConnectionEffect]) -> BytesDisposal {
        received(bytes.span, isLast: isLast, &effects)
    }

    func failed(_ failure: Failure, _ effects: inout [ConnectionEffect]) {
        effects.append(.deliver(.failed(failure), to: self))
    }
}
