package import PasteboardTransport

/// An executor with one thread: it polls descriptors, serves connections, and runs the parts of tasks that prefer it.
///
/// A command runs on a loop: `Loop.run { ... }` runs all of its tasks on the main thread, and starts no other thread.
/// Its tasks must not use `Task { }`, which would leave the loop; `Task(executorPreference: loop)` stays.
package final class Loop: TaskExecutor {
    private typealias Readiness = PollInterest.Readiness

    /// A wait for a descriptor, until a time (see `MonotonicClock`).
    package struct Wait: Sendable {
        package let interest: PollInterest
        package let end: UInt64

        package init(_ interest: PollInterest, until end: UInt64) {
            self.interest = interest
            self.end = end
        }
    }

    /// An action at the end of a wait, which must not block. Watchers may share a number: the first to act removes the
    /// others.
    private struct Watcher {
        let number: UInt64
        let wait: Wait
        /// Called with nil if the time is over, the task is cancelled, or `resume` ends the wait.
        let act: @Sendable (Int?) -> Void
    }

    private struct State {
        var phase = LoopPhase.looking(isChanged: false)
        var jobs: [UnownedJob] = []
        var connections: [BrokerConnection] = []
        var watchers: [Watcher] = []
        var watcherCount: UInt64 = 0
        var command: Task<Void, Never>?
        /// The end of the command.
        var end: (code: CInt, error: (any Error)?)?

        mutating func take(_ number: UInt64) -> Watcher? {
            let first = watchers.first { $0.number == number }
            if first != nil { watchers.removeAll { $0.number == number } }
            return first
        }
    }

    private let state = Lock(State())
    private let wakeUp: EventDescriptor
    private let owner = ForkGuard()

    /// A loop without a thread: `run` or `start` gives it one.
    package init() throws(SystemError) {
        wakeUp = try EventDescriptor()
    }

    /// Whether this process has made the loop. A process created by fork has no thread that serves it.
    var isInOwner: Bool { owner.isInOwner }

    // MARK: Running

    /// Runs a command on the calling thread until it ends.
    ///
    /// - Returns: its exit code.
    package static func run(_ body: @escaping @Sendable (Loop) async throws -> CInt) throws -> CInt {
        let loop = try Loop()
        let command = Task(executorPreference: loop) {
            do {
                let code = try await body(loop)
                loop.change { $0.end = (code, nil) }
            } catch {
                loop.change { $0.end = (1, error) }
            }
        }
        loop.state.withLock { $0.command = command }
        loop.serve { loop.state.withLock { $0.end != nil } }
        let end = loop.state.withLock { $0.end }
        if let error = end?.error { throw error }
        return end?.code ?? 0
    }

    /// Serves the connections on a thread of its own until `end`.
    package func start(named name: String, stackSize: Int) throws(SystemError) {
        try SystemThread(name: name, stackSize: stackSize) { self.serve { self.state.withLock { $0.end != nil } } }
            .detach()
    }

    package func end() { change { $0.end = (0, nil) } }

    /// Cancels the task of the command: each of its waits ends. Other tasks go on.
    package func interrupt() { state.withLock { $0.command }?.cancel() }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        change { $0.jobs.append(job) }
    }

    /// Lets the loop ask its connections for their next waits.
    func wake() { change { _ in } }

    func attach(_ connection: BrokerConnection) {
        change { state in
            if state.end == nil { state.connections.append(connection) }
        }
    }

    func detach(_ connection: BrokerConnection) {
        state.withLock { state in state.connections.removeAll { $0 === connection } }
    }

    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, wakes) = state.withLock { state in
            let value = body(&state)
            return (value, state.phase.change())
        }
        if wakes, isInOwner { wakeUp.signal() }
        return value
    }

    /// Serves the connections and the tasks, on the calling thread.
    ///
    /// - Parameter isOver: called in each turn. What changes its result has to wake the loop.
    func serve(until isOver: () -> Bool) {
        // Used by all turns, so that none allocates.
        var jobs: [UnownedJob] = []
        var waits: [Wait] = []
        var ready: [Readiness] = []
        // Whether the log has shown what is waited for, or there is none.
        var isLogged = !FrameLog.isWanted
        while true {
            state.withLock { state in
                state.phase.look()
                swap(&state.jobs, &jobs)
            }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            jobs.removeAll(keepingCapacity: true)

            let connections = state.withLock { $0.connections }
            waits.removeAll(keepingCapacity: true)
            for (index, connection) in connections.enumerated() {
                guard let wait = connection.turn(index < ready.count ? ready[index] : nil) else {
                    detach(connection)
                    break
                }
                waits.append(wait)
            }
            ready.removeAll(keepingCapacity: true)
            if isOver() {
                // The last changes of those that have ended, too.
                for connection in state.withLock({ $0.connections }) where connection.turn(nil) == nil {
                    detach(connection)
                }
                return
            }
            guard waits.count == connections.count, let watchers = watchersToPoll() else { continue }
            for watcher in watchers { waits.append(watcher.wait) }
            poll(waits, &ready, logging: &isLogged, connections)
            for (index, watcher) in watchers.enumerated() where connections.count + index < ready.count {
                let readiness = ready[connections.count + index]
                guard !readiness.isEmpty || MonotonicClock.isOver(watcher.wait.end) else { continue }
                if state.withLock({ $0.take(watcher.number) }) != nil { watcher.act(readiness.isEmpty ? nil : 0) }
            }
            ready.removeSubrange(min(connections.count, ready.count)...)
        }
    }

    /// - Returns: nil if there is other work, so that nothing is to be waited for.
    private func watchersToPoll() -> [Watcher]? {
        state.withLock { state in state.phase.mayPoll() ? state.watchers : nil }
    }

    /// - Parameter ready: empty before; afterwards the readiness of each wait, or empty if polling has failed.
    private func poll(
        _ waits: [Wait],
        _ ready: inout [Readiness],
        logging isLogged: inout Bool,
        _ connections: [BrokerConnection]
    ) {
        var end = waits.lazy.map(\.end).min() ?? .max
        let quiet = isLogged ? .max : MonotonicClock.deadline(milliseconds: 1_000)
        end = min(end, quiet)
        let milliseconds = end == .max ? nil : Int(MonotonicClock.millisecondsLeft(until: end))
        let signal = PollInterest(wakeUp.raw, .readable)
        let isWoken: Bool
        if waits.count == 1 {
            guard let both = try? System.poll(signal, waits[0].interest, milliseconds: milliseconds) else { return }
            isWoken = !both.first.isEmpty
            ready.append(both.second)
        } else {
            let interests = [signal] + waits.map(\.interest)
            guard let all = try? System.poll(interests, milliseconds: milliseconds) else { return }
            isWoken = !all[0].isEmpty
            ready += all.dropFirst()
        }
        if MonotonicClock.isOver(quiet) {
            isLogged = true
            for connection in connections { connection.logWaits() }
        } else if FrameLog.isWanted {
            isLogged = false
        }
        if isWoken { wakeUp.drain() }
    }

    // MARK: Waiting

    /// Waits until one of several descriptors is ready, or until a time.
    ///
    /// - Returns: its index; nil at that time, or if the task is cancelled.
    package func first(of interests: [PollInterest], until end: UInt64 = .max) async -> Int? {
        await wait(for: interests, until: end, as: nextNumber()) { Task.isCancelled }
    }

    /// Waits until `resume` is called with a number, or until a time.
    ///
    /// - Parameter isOver: whether the event has happened; called when `resume` can end the wait.
    package func pause(as number: UInt64, until end: UInt64, unless isOver: () -> Bool) async {
        _ = await wait(for: [], until: end, as: number) { Task.isCancelled || isOver() }
    }

    package func resume(_ number: UInt64) { change { $0.take(number) }?.act(nil) }

    private func wait(
        for interests: [PollInterest],
        until end: UInt64,
        as number: UInt64,
        unless isOver: () -> Bool
    ) async -> Int? {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (waiter: UnsafeContinuation<Int?, Never>) in
                watch(interests, until: end, as: number) { waiter.resume(returning: $0) }
                // An earlier cancellation has found no waiter.
                if isOver() { resume(number) }
            }
        } onCancel: {
            resume(number)
        }
    }

    /// Waits until a descriptor is ready, or until a time.
    ///
    /// - Returns: whether it is ready; false also if the task is cancelled.
    @discardableResult
    package func ready(_ interest: PollInterest, until end: UInt64 = .max) async -> Bool {
        await first(of: [interest], until: end) != nil
    }

    package func sleep(until end: UInt64) async { _ = await first(of: [], until: end) }

    /// Calls `act` once, on the thread of the loop, when a descriptor is ready or the time is over.
    ///
    /// - Returns: the number with which `forget` ends the wait.
    func watch(_ interests: [PollInterest], until end: UInt64, _ act: @escaping @Sendable () -> Void) -> UInt64 {
        let number = nextNumber()
        watch(interests, until: end, as: number) { _ in act() }
        return number
    }

    private func watch(
        _ interests: [PollInterest],
        until end: UInt64,
        as number: UInt64,
        _ act: @escaping @Sendable (Int?) -> Void
    ) {
        change { state in
            for (index, interest) in interests.enumerated() {
                state.watchers.append(
                    Watcher(number: number, wait: Wait(interest, until: .max)) { act($0 == nil ? nil : index) }
                )
            }
            guard interests.isEmpty || end < .max else { return }
            // No event is expected.
            state.watchers.append(Watcher(number: number, wait: Wait(PollInterest(-1, []), until: end), act: act))
        }
    }

    package func nextNumber() -> UInt64 {
        state.withLock { state in
            state.watcherCount += 1
            return state.watcherCount
        }
    }

    /// Ends a wait, unless it is over. Nothing is called.
    func forget(_ number: UInt64) { _ = change { $0.take(number) } }
}
