import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A sink whose receiver may be gone. Then bytes are dropped for a time, and the program that sends them does not
/// notice.
final class OptionalSink: Sendable {
    private struct State {
        var failure: (any Error)?
        var end: UInt64 = .max
    }

    private let sink: ByteSink
    private let state = Lock(State())

    init(_ sink: @escaping ByteSink) { self.sink = sink }

    func take(_ bytes: [UInt8]) async throws {
        let (isGone, end) = state.withLock { ($0.failure != nil, $0.end) }
        if isGone {
            if MonotonicClock.isOver(end) { throw Failure(.cancelled, "nobody takes the bytes") }
            return
        }
        do {
            try await sink(bytes)
        } catch {
            state.withLock { state in
                (state.failure, state.end) = (error, MonotonicClock.deadline(milliseconds: DesktopTime.stall))
            }
        }
    }

    /// Throws the failure of the receiver.
    func check() throws { if let failure = state.withLock(\.failure) { throw failure } }
}
