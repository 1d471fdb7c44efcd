/// The changes of a connection that wait: the loads to be requested, and the results of handlers to be sent.
///
/// While few streams are under way, the first thread that adds a change serves the inbox: it makes its own change, and
/// those that others add, until none waits. Otherwise it wakes the connection's thread, which serves the inbox. Then
/// the frames of several tasks share a write, and the tasks do not wait for the lock of the connection, which its
/// thread holds while it reads.
struct Inbox {
    /// The number of streams under way from which on the connection's thread serves the inbox.
    private static let sharing = 8

    enum Change: Sendable {
        case load(DataLoad)
        case result(FinishedRun)
    }

    enum Step: BitwiseCopyable {
        /// The caller serves the inbox: it makes its change, which is not added, and calls ``take(underWay:)`` until
        /// that returns nil.
        case serve
        /// The caller wakes the connection's thread, which calls ``claim()``.
        case wake
        case none
    }

    private var loads: [DataLoad] = []
    private var results: [FinishedRun] = []
    /// The number of streams that were under way when the inbox was last served.
    private var underWay = 0
    private var isServed = false
    private var isWoken = false
    private var hasThread = true

    mutating func add(_ change: Change) -> Step {
        if !isServed, !hasThread || underWay < Self.sharing {
            isServed = true
            return .serve
        }
        switch change {
        case .load(let load): loads.append(load)
        case .result(let result): results.append(result)
        }
        return isServed || exchange(&isWoken, with: true) ? .none : .wake
    }

    /// Called by the connection's thread, before it resumes tasks or after it was woken.
    ///
    /// - Returns: whether the thread serves the inbox from now on. Otherwise another thread does already.
    mutating func claim() -> Bool {
        isWoken = false
        return !exchange(&isServed, with: true)
    }

    /// Called by the connection's thread at its end. From then on, whoever adds something serves the inbox.
    mutating func loseThread() -> Bool {
        hasThread = false
        return claim()
    }

    /// Called in a process created by fork, which has none of the other threads. The caller serves the inbox.
    mutating func loseThreads() {
        (hasThread, isServed) = (false, true)
    }

    /// Takes the changes that wait.
    ///
    /// - Parameter underWay: the number of streams under way after the last changes; nil before the first.
    /// - Returns: nil if nothing waits. Then the caller no longer serves the inbox.
    mutating func take(underWay: Int?) -> (loads: [DataLoad], results: [FinishedRun])? {
        if let underWay { self.underWay = underWay }
        if loads.isEmpty, results.isEmpty {
            isServed = false
            return nil
        }
        return (
            loads.isEmpty ? [] : exchange(&loads, with: []), results.isEmpty ? [] : exchange(&results, with: [])
        )
    }
}
