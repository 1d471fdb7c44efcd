import PasteboardTransport

/// Calls to a disk, which can hang, on a thread of their own. The caller waits only as long as they make progress.
final class PatientCall<Result: Sendable>: Sendable {
    private struct State {
        var steps = 0
        var isAbandoned = false
        var result: Result?
    }

    private let state = Lock(State())
    private let event: EventDescriptor

    private init() throws(SystemError) {
        event = try EventDescriptor()
    }

    /// Notes progress.
    ///
    /// - Returns: whether the caller still waits. If not, nothing must be changed any more.
    func step() -> Bool {
        state.withLock { state in
            state.steps += 1
            return !state.isAbandoned
        }
    }

    /// Calls `body` and waits for its result; nil if there was no step for so long, or the thread cannot be started.
    ///
    /// - Parameter patience: in milliseconds.
    static func run(
        patience: Int,
        _ body: @escaping @Sendable (PatientCall) -> Result
    ) -> Result? {
        guard let call = try? PatientCall() else { return nil }
        do throws(SystemError) {
            try SystemThread(name: "pb-disk") {
                let result = body(call)
                call.state.withLock { $0.result = result }
                call.event.signal()
            }.detach()
        } catch {
            return nil
        }
        var (steps, idle) = (0, 0)
        while idle < slices {
            // It fails only if memory has run out, and then the thread goes on all the same.
            _ = try? System.poll([PollInterest(call.event.raw, .readable)], milliseconds: patience / slices)
            let state = call.state.withLock { $0 }
            if let result = state.result { return result }
            idle = state.steps == steps ? idle + 1 : 0
            steps = state.steps
        }
        return call.state.withLock { state in
            state.isAbandoned = true
            return state.result
        }
    }

    /// The parts of the patience after which the progress is looked at.
    private static var slices: Int { 10 }
}
