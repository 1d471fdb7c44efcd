import PasteboardTransport

/// The tasks of the main actor that wait for a connection and have their result or event, in the order in which these
/// happened.
///
/// The main actor does not run tasks in the order in which they are resumed: of several, one may run last. Then the
/// output of a program that waits for several results would differ from run to run. So one of them is resumed at a
/// time; when it runs, it has the next one resumed, after everything else that the main actor has to do by then.
final class MainActorLine: Sendable {
    static let shared = MainActorLine()

    private struct State {
        /// Whether a task has been resumed and has not run yet.
        var isBusy = false
        /// The actions that resume the others, from `first` on.
        var waiting: [@Sendable () -> Void] = []
        var first = 0

        mutating func next() -> (@Sendable () -> Void)? {
            guard first < waiting.count else { return nil }
            let next = waiting[first]
            first += 1
            // Removed many at a time, so that the cost of taking one does not depend on the number that wait.
            if first == waiting.count || first >= 64 {
                waiting.removeFirst(first)
                first = 0
            }
            return next
        }
    }

    private let state = Lock(State())

    /// Whether a task that is isolated to `actor` waits in line.
    static func orders(_ actor: (any Actor)?) -> Bool {
        guard let actor else { return false }
        return actor === MainActor.shared
    }

    /// Resumes a task when it is its turn. It must not be called under a lock.
    func resume(_ resume: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            if state.isBusy { state.waiting.append(resume) }
            return !exchange(&state.isBusy, with: true)
        }
        if isFirst { resume() }
    }

    /// The resumed task runs.
    func advance() {
        let next = state.withLock { state -> (@Sendable () -> Void)? in
            let next = state.next()
            state.isBusy = next != nil
            return next
        }
        next?()
    }
}
