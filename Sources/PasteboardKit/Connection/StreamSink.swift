import PasteboardClient
import PasteboardWire

/// The receiver of what the broker sends on one stream.
///
/// All `received` calls and ``failed(_:_:)`` come under the connection's lock: they may change the sink's own state, and may
/// resume nobody and run none of the program's code. The rest is left to ``deliver(_:)``, which an effect calls after the
/// lock is released.
protocol StreamSink: AnyObject, Sendable {
    /// Whether nobody waits any more, so that the request need not be made.
    var isCancelled: Bool { get }
    /// The request has been made.
    func opened(_ stream: UInt64)
    /// - Parameter bytes: contains the payload of a data event.
    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect])
    /// Receives bytes of a load, in order. A sink that returns `held` reports later to the connection that it has consumed them.
    func received(_ bytes: Span<UInt8>, isLast: Bool, _ effects: inout [ConnectionEffect]) -> BytesDisposal
    /// The stream, or the connection with it, has failed.
    func failed(_ failure: Failure, _ effects: inout [ConnectionEffect])
    /// Passes on what was received. Called without a lock.
    func deliver(_ delivery: SinkDelivery)
    /// Whether the stream is the lifetime of promises, which the broker will ask for by their handle.
    var isPublication: Bool { get }
    /// The handler that makes the bytes of a promise.
    func handler(item: UInt32, representation: UInt32) -> DataHandler?
    /// A drag session has come to the destination whose lifetime this stream is.
    ///
    /// - Returns: the sink of the session's own stream.
    func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)?
}

/// What a sink has to pass on to the program.
enum SinkDelivery: Sendable {
    /// The state of the sink has changed, and contains what is new.
    case changed
    /// The request or load is complete.
    case finished
    case progress(completed: Int64, total: Int64?)
    indirect case event(ClientEvent)
    indirect case failed(Failure)
}

/// Work that a change of a connection leaves for the time after its lock is released, in this order.
///
/// It is data, so that a test can look at what a change brings about. ``LiveConnection`` performs it.
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
    /// Releases values whose deinit may run the program's code.
    case release([any Sendable])
}

enum BytesDisposal {
    case consumed
    case held
}

extension StreamSink {
    func opened(_ stream: UInt64) {}

    var isPublication: Bool { false }

    func handler(item: UInt32, representation: UInt32) -> DataHandler? { nil }

    func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)? { nil }

    func received(_ bytes: Span<UInt8>, isLast: Bool, _ effects: inout [ConnectionEffect]) -> BytesDisposal {
        .consumed
    }

    func failed(_ failure: Failure, _ effects: inout [ConnectionEffect]) {
        effects.append(.deliver(.failed(failure), to: self))
    }
}
