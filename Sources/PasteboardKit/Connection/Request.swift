import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A request to the broker. It handles the events of its stream, and passes the result on to the program.
///
/// All methods but ``deliver()`` are called under the connection's lock. They may change the request's own state, but
/// must not resume a task or run the program's code.
protocol Request: AnyObject, Sendable {
    /// Whether the result is no longer needed, so that the request need not be made.
    var isCancelled: Bool { get }
    /// Whether a cancellation ends the request. Otherwise it only ends the wait: the answer still has to be handled.
    var endsWhenCancelled: Bool { get }
    /// Called when the request has been made.
    func opened(_ stream: UInt64)
    /// Handles an event other than a failure. Consumed bytes of a load are reported to the client's state.
    ///
    /// - Parameters:
    ///   - bytes: the buffer that contains the payload of a data event.
    ///   - memory: the memory of `bytes`, if it can be lent.
    /// - Returns: whether ``deliver()`` has to be called. After the end of the stream it is called anyway.
    func handle(_ event: ClientEvent, in bytes: Span<UInt8>, of memory: ReadMemory?, _ state: inout ClientState) -> Bool
    /// Called when the stream has failed, or by default the whole connection.
    func failed(_ failure: Failure)
    /// Called when the whole connection has failed. A request that is restored over the next connection does not fail.
    func lost(_ failure: Failure)
    /// Passes what is new to the program. Called without a lock.
    func deliver()
    /// Whether the stream is open for the lifetime of a publication, whose promises the broker asks for by its handle.
    var isPublication: Bool { get }
    /// The handler that makes the bytes of a promise.
    func handler(item: UInt32, representation: UInt32) -> DataHandler?
    /// Called when a drag session has entered the destination that this stream registered.
    ///
    /// - Returns: the request that handles the events of the session's own stream.
    func sessionArrived(_ stream: UInt64, _ session: Session) -> (any Request)?
}

extension Request {
    var endsWhenCancelled: Bool { true }

    func opened(_ stream: UInt64) {}

    func lost(_ failure: Failure) {
        failed(failure)
    }

    var isPublication: Bool { false }

    func handler(item: UInt32, representation: UInt32) -> DataHandler? { nil }

    func sessionArrived(_ stream: UInt64, _ session: Session) -> (any Request)? { nil }
}

/// An action that results from a change of a connection, and is performed after the connection's lock is released.
///
/// Effects are performed in the order in which the change adds them. They are values, so that a test can examine them.
/// ``LiveConnection`` performs them.
enum ConnectionEffect: Sendable {
    case deliver(any Request)
    /// Ends a wait: for the bytes of a write, or for the end of a publication's answers.
    case resolve(PendingResult<Void>, Failure?)
    /// Calls the handler of a representation that the broker has asked for.
    case start(HandlerRun)
    case cancel(HandlerRun)
    case cancelChunks(any ChunkSource)
    /// Asks for the next chunk of an answer.
    case nextChunk(of: any ChunkSource, ask: UInt64)
    /// Reports that the connection has ended, after its requests were notified.
    case lost(Failure)
    /// Releases values whose deinit may run the program's code.
    case release([DiscardedValue])

    /// The run to be started, if its handler is async.
    var asyncRun: HandlerRun? {
        if case .start(let run) = self, run.isAsync { run } else { nil }
    }
}
