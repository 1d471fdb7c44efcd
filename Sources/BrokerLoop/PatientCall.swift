import PasteboardTransport

/// Calls to a disk, which can hang, on a thread of their own. The caller waits only as long as they make progress.
final class PatientCall<Result: Sendable>: Sendable {
    private struct State {
        var steps = 0
        var isAbandoned = false
        var result: Result?
    }

    private let state = Lock(State())
    private let done = Semaphore()

    /// The parts of the patience after which the progress is checked.
    private static var slices: Int { 10 }

    private init() {}

    /// Records progress.
    ///
    /// - Returns: whether the caller still waits. If not, nothing must be changed any more.
    func step() -> Bool {
        state.withLock { state in
            state.steps += 1
            return !state.isAbandoned
        }
    }

    /// Calls `body` and waits for its result; nil if there was no step for so long. If no thread can be started, the
    /// caller's thread calls it.
    ///
    /// - Parameter patience: in milliseconds.
    static func run(
        patience: Int,
        _ body: @escaping @Sendable (PatientCall) -> Result
    ) -> Result? {
        let call = PatientCall()
        do throws(SystemError) {
            try SystemThread(name: "pb-disk") {
                let result = body(call)
                call.state.withLock { $0.result = result }
                call.done.signal()
            }.detach()
        } catch {
            return body(call)
        }
        var (steps, idle) = (0, 0)
        while idle < slices, !call.done.wait(milliseconds: patience / slices) {
            let now = call.state.withLock { $0.steps }
            idle = now == steps ? idle + 1 : 0
            steps = now
        }
        return call.state.withLock { state in
            state.isAbandoned = true
            return state.result
        }
    }
}
