import Glibc
import PasteboardTransport

/// The error of a wait for a condition that did not hold in time.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String

    init(_ event: String) {
        description = "did not happen within \(ProcessRunner.watchdog / 1_000) s: \(event)"
    }
}

/// Waits until the condition holds, and looks every millisecond.
///
/// - Parameters:
///   - event: the awaited event, for the error.
///   - condition: is called on the caller's actor.
/// - Throws: `NeverHappened` after the watchdog's time, `CancellationError` if the task is cancelled.
package func eventually(_ event: String, _ condition: () async throws -> Bool) async throws {
    let deadline = MonotonicClock.deadline(milliseconds: ProcessRunner.watchdog)
    while try await !condition() {
        guard MonotonicClock.now() < deadline else { throw NeverHappened(event) }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// The same for a test that blocks its thread.
@_disfavoredOverload
@available(*, noasync)
package func eventually(_ event: String, _ condition: () throws -> Bool) throws {
    let deadline = MonotonicClock.deadline(milliseconds: ProcessRunner.watchdog)
    while try !condition() {
        guard MonotonicClock.now() < deadline else { throw NeverHappened(event) }
        try Task.checkCancellation()
        usleep(1_000)
    }
}
