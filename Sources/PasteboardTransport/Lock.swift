#if !TSAN
import Synchronization

/// A value that one thread at a time may use. Never held across somebody else's code.
package final class Lock<State: ~Copyable>: Sendable {
    private let state: Mutex<State>

    package init(_ initial: consuming sending State) {
        state = Mutex(initial)
    }

    package func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try state.withLock(body)
    }
}
#endif
