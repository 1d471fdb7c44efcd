import PasteboardClient
import PasteboardWire

/// Who waits for what the broker says on one stream.
///
/// The calls come on the connection's thread and under its lock: nothing here may resume anybody or run a program's
/// code. What has to be done is put into `effects`, which are performed once the lock is free.
protocol StreamSink: AnyObject, Sendable {
    /// Whether nobody waits any more, so that the request need not be made.
    var isCancelled: Bool { get }
    /// The request has been made.
    func opened(_ stream: UInt64)
    /// `bytes` is what the payload of a data event lies in.
    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects)
    /// Receives bytes of a load, in order. A sink that returns `held` reports later to the connection that it has consumed them.
    func received(_ bytes: Span<UInt8>, isLast: Bool, _ effects: inout Effects) -> BytesDisposal
    /// The stream, or the connection with it, has failed.
    func failed(_ failure: Failure, _ effects: inout Effects)
    /// Whether the stream is the life of promises, which the broker will ask for by their handle.
    var isPublication: Bool { get }
    /// What makes the bytes of a promise.
    func handler(item: UInt32, representation: UInt32) -> DataHandler?
    /// A drag session has come to the destination whose lifetime this stream is.
    ///
    /// - Returns: the sink of the session's own stream.
    func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)?
}

typealias Effects = [@Sendable () -> Void]

enum BytesDisposal {
    case consumed
    case held
}

extension StreamSink {
    func opened(_ stream: UInt64) {}

    var isPublication: Bool { false }

    func handler(item: UInt32, representation: UInt32) -> DataHandler? { nil }

    func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)? { nil }

    func received(_ bytes: Span<UInt8>, isLast: Bool, _ effects: inout Effects) -> BytesDisposal { .consumed }
}
