import FoundationEssentials
package import PasteboardClient
package import PasteboardTransport
import PasteboardWire

/// A connection to one broker.
///
/// It connects at the first request, and starts a broker if none runs.
///
/// If the connection is lost, for example because the broker has crashed, requests and loads that are under way fail.
/// The next request connects again. If the program has current publications, watches or destinations of drags, the
/// connection does not wait for a request: it connects again at once, and then tries again after delays from 10 ms to
/// 30 s, as long as it fails. It then restores them: a publication comes back under the change count that it had,
/// unless other contents were written in the meantime; a watch continues after the last change that it has reported;
/// and a destination is registered again. A broker that has crashed is started again, if the connection may start one.
/// One that was stopped is not, but the next request starts one.
///
/// The connection closes when no pasteboard, provider or publication refers to it any more. It does not survive a
/// `fork`: a child process has to make its own, and restores nothing.
public final class PasteboardConnection: Sendable, CustomStringConvertible {
    /// The connection to the user's own broker.
    public static let shared = PasteboardConnection()

    private enum Phase {
        /// No attempt to connect is made or planned.
        case idle
        /// The thread waits for the time of its next attempt to connect.
        case waiting
        case connecting(Attempt)
        case connected(BrokerConnection)
        case closed
    }

    /// An attempt to connect. Requests wait for it.
    private struct Attempt {
        var requests: [PendingResult<BrokerConnection>] = []
        /// Whether it may start a broker. A request may set it while an attempt is made that may not.
        var mayStart: Bool
        /// Whether an earlier connection has ended meanwhile, so that its states have to be restored.
        var hasLost = false
    }

    private struct State {
        var phase = Phase.idle
        /// All connections to brokers, also one that is greeting, and those to brokers that have announced their end,
        /// on which loads may still run.
        var connections: [BrokerConnection] = []
        var process: CInt?
        var backoff = Backoff()
        /// The time of the next attempt that no request makes (see `MonotonicClock`); nil if none is planned. Requests
        /// that fail meanwhile do not postpone it.
        var nextAttempt: UInt64?
        /// Whether the last broker was stopped. It is not started again without a request.
        var wasStopped = false
    }

    private typealias Outcome = Result<BrokerConnection, PasteboardError>

    private let groups: [String]
    /// Whether no person asks for the loads.
    let isAutomatic: Bool
    let timeouts: ConnectionTimeouts
    private let connector: Connector
    private let state = Lock(State())
    /// The states that are restored after the connection was lost.
    let restoration = Restoration()
    /// Ends the thread's wait for its next attempt.
    private let wake = Semaphore()

    /// Makes a separate connection, which is opened at its first use.
    ///
    /// - Parameters:
    ///   - socketPath: the absolute path of the broker's socket. nil: `$PASTEBOARD_SOCKET`, otherwise the user's
    ///     default socket. With a relative path every call fails with `invalid-argument`.
    ///   - startsBroker: whether a broker is started if none runs.
    ///   - groups: the tokens of the groups that this program belongs to, at most 8 of 1 to 255 bytes each. Programs
    ///     see each other's representations of visibility ``ItemProviderRepresentationVisibility/group`` if they have a
    ///     token in common. A token is a secret: every program that knows it belongs to the group.
    ///   - isAutomatic: whether no person asks for the loads over this connection, as in a history; see
    ///     ``LoadOptions/isAutomatic``.
    public convenience init(
        socketPath: String? = nil,
        startsBroker: Bool = true,
        groups: [String] = [],
        isAutomatic: Bool = false
    ) {
        self.init(groups: groups, isAutomatic: isAutomatic) { mayStart in
            if let socketPath, !socketPath.hasPrefix("/") {
                let text = "the connection's socketPath is '\(socketPath)'; it has to be an absolute path"
                throw Failure(.invalidArgument, text)
            }
            let environment = socketPath.map { path in
                ProcessEnvironment(ProcessInfo.processInfo.environment.merging(["PASTEBOARD_SOCKET": path]) { $1 })
            }
            var connector = try BrokerConnector(environment: environment ?? ProcessEnvironment())
            if !startsBroker || !mayStart { connector.startsBroker = false }
            return BrokerSocket(descriptor: try connector.connect(), path: connector.socket.path)
        }
    }

    /// Makes a connected socket, or throws. It may block. The parameter is whether it may start a broker.
    package typealias Connector = @Sendable (_ mayStart: Bool) throws -> BrokerSocket

    package init(
        groups: [String] = [],
        isAutomatic: Bool = false,
        timeouts: ConnectionTimeouts = ConnectionTimeouts(),
        connector: @escaping Connector
    ) {
        self.groups = groups
        self.isAutomatic = isAutomatic
        self.timeouts = timeouts
        self.connector = connector
    }

    deinit {
        end()
        restoration.close(Self.closedError)
    }

    /// Whether it is connected.
    public var description: String {
        if case .connected = state.withLock(\.phase) { "connected to a broker" } else { "not connected to a broker" }
    }

    /// Closes the connection permanently: requests that are under way fail, and everything that was published over it
    /// is gone.
    public func close() async {
        end()
        // Afterwards, because the end of a destination cancels its sessions, which have failed with the connection.
        restoration.close(Self.closedError)
    }

    /// Ends all connections to brokers, and fails the requests that wait.
    private func end() {
        let (phase, connections) = state.withLock { state in
            (exchange(&state.phase, with: .closed), exchange(&state.connections, with: []))
        }
        wake.signal()
        for live in connections { live.end(Self.closedFailure) }
        guard case .connecting(let attempt) = phase else { return }
        for request in attempt.requests { request.resolve(.failure(Self.closedError)) }
    }

    /// Returns the live connection, or opens one. The call's cancellation and timeout end the wait.
    ///
    /// - Parameter lost: the connection over which a request has failed that is made again: this opens another one, and
    ///   starts no broker for it.
    func liveConnection(
        after lost: BrokerConnection? = nil,
        for call: Call
    ) async throws(PasteboardError) -> BrokerConnection {
        enum Step {
            case use(BrokerConnection)
            case fail(PasteboardError)
            case wait
            case startThread
            case wakeThread
        }
        let request = PendingResult<BrokerConnection>()
        let step = state.withLock { state -> Step in
            if let process = state.process, process != System.processID { return .fail(Self.forkedError(process)) }
            state.process = System.processID
            let step: Step
            switch state.phase {
            case .closed:
                return .fail(Self.closedError)
            case .connected(let live) where live.takesRequests && live !== lost:
                return .use(live)
            case .connecting(var attempt):
                attempt.requests.append(request)
                if lost == nil { attempt.mayStart = true }
                state.phase = .connecting(attempt)
                return .wait
            case .connected(let live):
                // A broker that ends was perhaps stopped, which must not be undone.
                if !live.isOver || live.failure?.loss == .stopped { state.wasStopped = true }
                step = .startThread
            case .idle:
                step = .startThread
            case .waiting:
                step = .wakeThread
            }
            state.phase = .connecting(Attempt(requests: [request], mayStart: lost == nil))
            return step
        }
        switch step {
        case .use(let live): return live
        case .fail(let error): throw error
        case .wait: break
        case .startThread: startThread()
        case .wakeThread: wake.signal()
        }
        return try await request.value(for: call) {
            self.state.withLock { state in
                guard case .connecting(var attempt) = state.phase else { return }
                attempt.requests.removeAll { $0 === request }
                state.phase = .connecting(attempt)
            }
        } start: {
        }
    }

    // MARK: The thread

    /// Starts the thread that connects, serves the connection until its end, and then connects again, as long as there
    /// is something to restore.
    private func startThread() {
        do {
            // While a connection is served, the thread does not refer to this object, so that it can be released.
            let thread = try SystemThread(name: "pasteboard", stackSize: ThreadPool.stackSize) { [weak self, wake] in
                /// - Returns: the milliseconds until the next attempt; nil if none follows.
                func turn(mayStart: Bool) -> Int? {
                    guard let outcome = self?.connect(mayStart: mayStart) else { return nil }
                    if case .success(let live) = outcome { live.serve() }
                    return self?.planAttempt(after: outcome)
                }
                while let mayStart = self?.beginAttempt(), let delay = turn(mayStart: mayStart) {
                    _ = wake.wait(milliseconds: delay)
                }
            }
            thread.detach()
        } catch {
            state.withLock { if case .waiting = $0.phase { $0.phase = .idle } }
            _ = connected(.failure(Self.error(of: error)), mayStart: true)
            guard !restoration.isEmpty else { return }
            // The system may have a thread for it later.
            Task.detached { [weak self] in
                try? await Task.sleep(for: .milliseconds(Backoff.calm))
                self?.startThreadToRestore()
            }
        }
    }

    /// Starts the thread if there still is something to restore, and no request has started it.
    private func startThreadToRestore() {
        let starts = state.withLock { state in
            guard case .idle = state.phase, !restoration.isEmpty else { return false }
            state.phase = .waiting
            return true
        }
        if starts { startThread() }
    }

    /// Begins an attempt, unless a request has begun one.
    ///
    /// - Returns: whether it may start a broker; nil if none is made.
    private func beginAttempt() -> Bool? {
        state.withLock { state in
            switch state.phase {
            case .connecting(let attempt):
                return attempt.mayStart
            case .waiting where !restoration.isEmpty:
                state.phase = .connecting(Attempt(mayStart: !state.wasStopped))
                state.nextAttempt = nil
                return !state.wasStopped
            case .waiting:
                state.phase = .idle
                return nil
            case .idle, .connected, .closed:
                return nil
            }
        }
    }

    /// Makes an attempt, and another one if a request that may start a broker has come meanwhile.
    private func connect(mayStart: Bool) -> Outcome {
        var mayStart = mayStart
        var outcome = greet(mayStart: mayStart)
        while !connected(outcome, mayStart: mayStart) {
            guard case .failure = outcome else { continue }
            mayStart = true
            outcome = greet(mayStart: mayStart)
        }
        return outcome
    }

    /// Connects, and says hello. A broker that is ending still accepts connections for a moment but never answers them.
    /// A client that connects just after such an end therefore tries again, which starts the next broker.
    private func greet(mayStart: Bool) -> Outcome {
        var triesLeft = Recovery.greetings
        while true {
            let outcome = Result { try makeLiveConnection(mayStart: mayStart) }.mapError(Self.error(of:))
            triesLeft -= 1
            guard case .success(let live) = outcome, add(live), live.greet(), triesLeft > 0, remove(live) else {
                return outcome
            }
        }
    }

    /// - Returns: false if this connection was closed meanwhile.
    private func add(_ live: BrokerConnection) -> Bool {
        let isAdded = state.withLock { state in
            guard case .connecting = state.phase else { return false }
            state.connections.append(live)
            return true
        }
        if !isAdded { live.end(Self.closedFailure) }
        return isAdded
    }

    /// - Returns: false if this connection was closed meanwhile.
    private func remove(_ live: BrokerConnection) -> Bool {
        state.withLock { state in
            state.connections.removeAll { $0 === live }
            return if case .connecting = state.phase { true } else { false }
        }
    }

    /// Restores what stands, and passes the outcome of an attempt to the requests that wait for it.
    ///
    /// - Returns: false if this is not the last outcome: an earlier connection has ended meanwhile, so that its states
    ///   have to be restored, or a request has come that may start a broker.
    private func connected(_ outcome: Outcome, mayStart: Bool) -> Bool {
        // Restores before any request can use the connection, so that the request finds what was restored.
        if case .success(let live) = outcome { restoration.restore(over: live) }
        let requests = state.withLock { state -> [PendingResult<BrokerConnection>]? in
            guard case .connecting(var attempt) = state.phase else { return [] }
            switch outcome {
            case .success where exchange(&attempt.hasLost, with: false):
                state.phase = .connecting(attempt)
                return nil
            case .success(let live):
                state.phase = .connected(live)
                (state.wasStopped, state.nextAttempt) = (false, nil)
            case .failure where attempt.mayStart && !mayStart && !attempt.requests.isEmpty:
                return nil
            case .failure:
                state.phase = .idle
            }
            return attempt.requests
        }
        guard let requests else { return false }
        for request in requests { request.resolve(outcome) }
        return true
    }

    /// Decides what follows when an attempt to connect has failed, or the connection that it has made has ended.
    ///
    /// - Returns: the milliseconds until the next attempt; nil if the thread ends, because there is nothing to restore,
    ///   or another thread connects.
    private func planAttempt(after outcome: Outcome) -> Int? {
        enum Step {
            case none
            case giveUp
            case restore(over: BrokerConnection)
            case wait(milliseconds: Int)
        }
        let (error, loss): (PasteboardError, Loss?) =
            switch outcome {
            case .success(let live): (PasteboardError(live.failure?.failure ?? Self.closedFailure), live.failure?.loss)
            case .failure(let error): (error, nil)
            }
        let step = state.withLock { state -> Step in
            if case .success(let ended) = outcome { state.connections.removeAll { $0 === ended } }
            // The broker had announced its end, and another connection was made since.
            if case .connected(let live) = state.phase, !live.isOver { return .restore(over: live) }
            if loss == .stopped { state.wasStopped = true }
            switch state.phase {
            case .connecting(var attempt):
                attempt.hasLost = true
                state.phase = .connecting(attempt)
                return .none
            case .waiting, .closed:
                return .none
            case .idle, .connected:
                state.phase = .idle
                guard error.mayPass else { return .giveUp }
                guard !restoration.isEmpty else { return .none }
                state.phase = .waiting
                let next = state.nextAttempt ?? MonotonicClock.deadline(milliseconds: state.backoff.delay())
                state.nextAttempt = next
                return .wait(milliseconds: Int(MonotonicClock.millisecondsLeft(until: next)))
            }
        }
        switch step {
        case .none: break
        case .giveUp: restoration.giveUp(error)
        case .restore(let live): restoration.restore(over: live)
        case .wait(let milliseconds): return milliseconds
        }
        return nil
    }

    private func makeLiveConnection(mayStart: Bool) throws -> BrokerConnection {
        let socket = try connector(mayStart)
        var hello = Hello()
        hello.label = (try? System.programPath())?.split(separator: "/").last.map(String.init)
        hello.groups = groups
        let path = socket.path
        return BrokerConnection(
            adopting: socket.descriptor,
            path: path,
            hello: hello,
            on: try Loop(),
            handlers: ThreadPool.completions,
            timeouts: timeouts,
            closer: .shared
        )
    }

    private static func error(of error: any Error) -> PasteboardError {
        if let failure = error as? Failure { return PasteboardError(failure) }
        return PasteboardError(.brokerUnavailable, message: "cannot connect to the broker: \(error)")
    }

    private static var closedFailure: Failure { Failure(.brokerUnavailable, "this connection was closed") }
    private static var closedError: PasteboardError { PasteboardError(closedFailure) }

    private static func forkedError(_ process: CInt) -> PasteboardError {
        PasteboardError(
            .invalidArgument,
            message: "process \(process) opened this connection; a process created by fork has to open its own"
        )
    }
}

extension PasteboardError {
    /// Whether a later attempt to connect could succeed.
    fileprivate var mayPass: Bool {
        switch code {
        case .versionMismatch, .invalidArgument, .protocolViolation, .notPermitted: false
        default: true
        }
    }
}

/// A connected socket, and its path.
package struct BrokerSocket: ~Copyable {
    let descriptor: OwnedDescriptor
    let path: String

    package init(descriptor: consuming OwnedDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }
}
