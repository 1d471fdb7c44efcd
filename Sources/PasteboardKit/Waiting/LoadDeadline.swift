import PasteboardTransport
import PasteboardWire

/// The deadline that a caller has set for a load or another call.
///
/// It is a class because the compiler does not know the size of an instant: a structure with one is copied and
/// destroyed with the help of the runtime, also by the many loads that have no deadline.
final class LoadDeadline: Sendable {
    /// The extra time before the client enforces a timeout that the broker normally enforces.
    static let brokerGrace = Duration.milliseconds(250)

    private let instant: ContinuousClock.Instant
    /// The timeout as the caller passed it, for error messages.
    let timeout: Duration

    init(_ timeout: Duration) {
        self.timeout = timeout
        // A very long timeout must not overflow the clock.
        instant = .now + min(max(timeout, .zero), .seconds(365 * 86_400))
    }

    var error: PasteboardError {
        PasteboardError(.timeout, message: "the load did not end within \(timeout)")
    }

    /// The time that is left, as the timeout of a part of the call.
    var left: Duration { max(.zero, ContinuousClock.now.duration(to: instant)) }

    /// The deadline for waits of the engine (see `MonotonicClock`), not before this one, whose clock is another.
    var end: UInt64 { MonotonicClock.deadline(milliseconds: Int(clamping: left.loadMilliseconds.addingClamped(1))) }

    /// Calls `fire` when the time has come.
    ///
    /// - Parameter grace: the extra time after the deadline, if the broker enforces the same deadline and has a more
    ///   precise error.
    func timer(grace: Duration = .zero, _ fire: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task { [instant] in
            guard (try? await Task.sleep(until: instant + grace)) != nil else { return }
            fire()
        }
    }
}
