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
public final class PasteboardConnection: Sendable {
    /// The connection to the user's own broker.
    public static let shared = PasteboardConnection()

    private enum Phase {
        case idle
        case connecting([PendingResult<LiveConnection>])
        case connected(LiveConnection)
        case closed
    }

    private struct State {
        var phase = Phase.idle
        /// A connection that waits for the broker's answer to its hello.
        var greeting: LiveConnection?
        /// The connections to brokers that have announced their end, on which loads may still run.
        var ending: [LiveConnection] = []
        var process: CInt?
        /// Whether a request that may start a broker waits for an attempt that may not.
        var startIsWanted = false
        var backoff = Backoff()
        /// Whether another attempt to connect will follow.
        var reconnectsLater = false
        /// Whether the last broker was stopped. It is not started again without a request.
        var wasStopped = false

        /// Forgets the connections to brokers that have ended by now.
        ///
        /// - Returns: whether there were any.
        mutating func forgetEnded() -> Bool {
            let count = ending.count
            ending.removeAll(where: \.isOver)
            return ending.count < count
        }
    }

    private let groups: [String]
    let timeouts: ConnectionTimeouts
    private let connector: Connector
    private let state = Lock(State())
    /// The states that are restored after the connection was lost.
    let restoration = Restoration()

    /// Makes a separate connection, which is opened at its first use.
    ///
    /// - Parameters:
    ///   - socketPath: the absolute path of the broker's socket. nil: `$PASTEBOARD_SOCKET`, otherwise the user's
    ///     default socket. With a relative path every call fails with `invalid-argument`.
    ///   - startsBroker: whether a broker is started if none runs.
    ///   - groups: the tokens of the groups that this program belongs to, at most 8 of 1 to 255 bytes each. Programs
    ///     see each other's representations of visibility ``ItemProviderRepresentationVisibility/group`` if they have a
    ///     token in common. A token is a secret: every program that knows it belongs to the group.
    public convenience init(socketPath: String? = nil, startsBroker: Bool = true, groups: [String] = []) {
        self.init(groups: groups) { mayStart in
            if let socketPath, !socketPath.hasPrefix("/") {
                let text = "the connection's socketPath is '\(socketPath)'; it has to be an absolute path"
                throw Failure(.invalidArgument, text)
            }
            let environment = socketPath.map { path in
                var variables = System.environmentVariables
                variables["PASTEBOARD_SOCKET"] = path
                return ProcessEnvironment(variables)
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
        timeouts: ConnectionTimeouts = ConnectionTimeouts(),
        connector: @escaping Connector
    ) {
        self.groups = groups
        self.timeouts = timeouts
        self.connector = connector
    }

    deinit {
        let (phase, ending) = state.withLock { ($0.phase, $0.ending) }
        if case .connected(let live) = phase { live.close(Self.closedFailure) }
        for connection in ending { connection.close(Self.closedFailure) }
        restoration.close(Self.closedError)
    }

    /// Closes the connection permanently: requests that are under way fail, and everything that was published over it
    /// is gone.
    public func close() async {
        let (phase, greeting, ending) = state.withLock { state in
            defer { (state.phase, state.greeting, state.ending) = (.closed, nil, []) }
            return (state.phase, state.greeting, state.ending)
        }
        greeting?.close(Self.closedFailure)
        for connection in ending { connection.close(Self.closedFailure) }
        switch phase {
        case .connected(let live): live.close(Self.closedFailure)
        case .connecting(let waiting): for result in waiting { result.resolve(.failure(Self.closedError)) }
        case .idle, .closed: break
        }
        // Afterwards, because the end of a destination cancels its sessions, which have failed with the connection.
        restoration.close(Self.closedError)
    }

    /// Returns the live connection, or opens one. The call's cancellation and timeout end the wait.
    ///
    /// - Parameter lost: the connection over which a request has failed that is made again: this opens another one, and
    ///   starts no broker for it.
    func liveConnection(
        after lost: LiveConnection? = nil,
        for call: Call
    ) async throws(PasteboardError) -> LiveConnection {
        let waiting = PendingResult<LiveConnection>()
        let (isMaker, error) = state.withLock { state -> (Bool, PasteboardError?) in
            if let process = state.process, process != System.processID { return (false, Self.forkedError(process)) }
            state.process = System.processID
            switch state.phase {
            case .closed:
                return (false, Self.closedError)
            case .connecting(let others):
                if lost == nil { state.startIsWanted = true }
                state.phase = .connecting(others + [waiting])
                return (false, nil)
            case .connected(let live) where live.takesRequests && live !== lost:
                waiting.resolve(.success(live))
                return (false, nil)
            case .connected(let live):
                if !live.isOver {
                    state.ending.append(live)
                    // The broker ends, perhaps because it was stopped, which must not be undone.
                    state.wasStopped = true
                }
                state.phase = .connecting([waiting])
                return (true, nil)
            case .idle:
                state.phase = .connecting([waiting])
                return (true, nil)
            }
        }
        if let error { throw error }
        if isMaker { connect(mayStart: lost == nil) }
        return try await waiting.value(for: call) {
            self.state.withLock { state in
                guard case .connecting(let others) = state.phase else { return }
                state.phase = .connecting(others.filter { $0 !== waiting })
            }
        } start: {
        }
    }

    /// Connects on another thread.
    private func connect(mayStart: Bool) {
        ThreadPool.connections.run { self.connect(mayStart: mayStart, triesLeft: Recovery.greetings) }
    }

    /// Connects, and says hello. A broker that is ending still accepts connections for a moment but never answers them.
    /// A client that connects just after such an end therefore tries again, which starts the next broker.
    private func connect(mayStart: Bool, triesLeft: Int) {
        let outcome = Result { () throws(PasteboardError) in try makeLiveConnection(mayStart: mayStart) }
        guard case .success(let live) = outcome, expect(live) else { return connected(outcome, mayStart: mayStart) }
        // The task does not use the threads of Swift's concurrency, because a program may block them.
        Task(executorPreference: ThreadPool.connections) {
            guard await live.greet(), triesLeft > 1, self.expect(nil) else {
                return self.connected(outcome, mayStart: mayStart)
            }
            ThreadPool.connections.run { self.connect(mayStart: mayStart, triesLeft: triesLeft - 1) }
        }
    }

    /// - Returns: false if this connection was closed meanwhile.
    private func expect(_ live: LiveConnection?) -> Bool {
        state.withLock { state in
            guard case .connecting = state.phase else { return false }
            state.greeting = live
            return true
        }
    }

    private func connected(_ outcome: Result<LiveConnection, PasteboardError>, mayStart: Bool) {
        enum Step {
            case connect
            case finish([PendingResult<LiveConnection>])
            case close
        }
        // Restores before any request can use the connection, so that the request finds what was restored.
        if case .success(let live) = outcome { restoration.restore(over: live) }
        let step = state.withLock { state -> Step in
            state.greeting = nil
            guard case .connecting(let waiting) = state.phase else { return .close }
            switch outcome {
            case .success(let live):
                state.phase = .connected(live)
                (state.wasStopped, state.startIsWanted) = (false, false)
                return .finish(waiting)
            case .failure:
                // A request has come meanwhile, and may start a broker.
                if exchange(&state.startIsWanted, with: false), !mayStart, !waiting.isEmpty { return .connect }
                state.phase = .idle
            }
            return .finish(waiting)
        }
        switch (step, outcome) {
        case (.connect, _):
            connect(mayStart: true)
        case (.finish(let waiting), .success(let live)):
            // The broker of an earlier connection may have ended after the restoration above.
            if state.withLock({ $0.forgetEnded() }) { restoration.restore(over: live) }
            for result in waiting { result.resolve(outcome) }
            if let failure = live.failure { reconnectLater(after: PasteboardError(failure), live.loss) }
        case (.finish(let waiting), .failure(let error)):
            for result in waiting { result.resolve(outcome) }
            reconnectLater(after: error, nil)
        case (.close, .success(let live)):
            // The connection was closed meanwhile.
            live.close(Self.closedFailure)
        case (.close, .failure):
            break
        }
    }

    // MARK: Reconnecting

    /// Called when a live connection has ended, also while it is greeting.
    private func lost(_ failure: Failure, _ loss: Loss?) {
        enum Step {
            case none
            case giveUp
            case reconnect
            case restore(over: LiveConnection)
        }
        let step = state.withLock { state -> Step in
            switch state.phase {
            // An attempt that is under way finds the failure itself, and restores what was lost before it connects.
            case .connecting:
                if loss == .stopped { state.wasStopped = true }
                return .none
            case .closed: return .none
            // A process created by fork must not connect in the place of its parent.
            case .idle, .connected: if state.process != System.processID { return .giveUp }
            }
            _ = state.forgetEnded()
            // The connection to a broker that was ending: another one was made since.
            if case .connected(let live) = state.phase, !live.isOver { return .restore(over: live) }
            return .reconnect
        }
        switch step {
        case .none: break
        case .giveUp: restoration.giveUp(PasteboardError(failure))
        case .reconnect: reconnectLater(after: PasteboardError(failure), loss)
        case .restore(let live): restoration.restore(over: live)
        }
    }

    /// Connects again after a delay, if there is something to restore and another attempt could succeed.
    private func reconnectLater(after error: PasteboardError, _ loss: Loss?) {
        guard error.mayPass else { return restoration.giveUp(error) }
        if loss == .stopped { state.withLock { $0.wasStopped = true } }
        reconnectSoon()
    }

    /// Connects again after a delay, if there is something to restore.
    private func reconnectSoon() {
        let delay = state.withLock { state -> Int? in
            guard !restoration.isEmpty, !exchange(&state.reconnectsLater, with: true) else { return nil }
            return state.backoff.delay()
        }
        guard let delay else { return }
        Task(executorPreference: ThreadPool.connections) { [weak self] in
            try? await Task.sleep(for: .milliseconds(delay))
            self?.reconnect()
        }
    }

    private func reconnect() {
        let (connects, mayStart) = state.withLock { state in
            state.reconnectsLater = false
            switch state.phase {
            case .idle: break
            case .connected(let live) where live.isOver: break
            case .connecting, .connected, .closed: return (false, false)
            }
            guard state.process == System.processID, !restoration.isEmpty else { return (false, false) }
            state.phase = .connecting([])
            return (true, !state.wasStopped)
        }
        if connects { connect(mayStart: mayStart) }
    }

    private func makeLiveConnection(mayStart: Bool) throws(PasteboardError) -> LiveConnection {
        do {
            let socket = try connector(mayStart)
            var hello = Hello()
            hello.label = (try? System.programPath())?.split(separator: "/").last.map(String.init)
            hello.groups = groups
            let path = socket.path
            return try LiveConnection(
                adopting: socket.descriptor,
                path: path,
                hello: hello,
                timeouts: timeouts
            ) { [weak self, restoration] failure, loss in
                guard let self else { return restoration.giveUp(PasteboardError(failure)) }
                lost(failure, loss)
            }
        } catch let failure as Failure {
            throw PasteboardError(failure)
        } catch {
            throw PasteboardError(.brokerUnavailable, message: "cannot connect to the broker: \(error)")
        }
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

extension System {
    fileprivate static var environmentVariables: [String: String] {
        let pairs = environment().compactMap { entry -> (String, String)? in
            guard let sign = entry.firstIndex(of: "=") else { return nil }
            return (String(entry[..<sign]), String(entry[entry.index(after: sign)...]))
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
