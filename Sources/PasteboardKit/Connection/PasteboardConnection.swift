package import PasteboardClient
package import PasteboardTransport
import PasteboardWire

/// The way to one broker.
///
/// It connects at the first request, starts a broker where there is none, and connects anew at the first request after
/// the connection was lost. What was under way then has failed, and what was published over it is gone. A connection that
/// nobody holds any more, no pasteboard, provider or publication, closes. It does not survive a `fork`: a child that needs
/// one makes its own.
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
        /// What is being connected, and has not heard of the broker yet.
        var greeting: LiveConnection?
        var process: CInt?
    }

    private let groups: [String]
    private let timeouts: ConnectionTimeouts
    private let connector: @Sendable () throws -> BrokerSocket
    private let state = Lock(State())

    /// Makes a connection of its own; nothing happens before it is used.
    ///
    /// - Parameters:
    ///   - socketPath: the absolute path of the broker's socket. nil: `$PASTEBOARD_SOCKET`, then the user's own. With a
    ///     relative path every call fails with `invalid-argument`.
    ///   - startsBroker: whether a broker is started where there is none.
    ///   - groups: tokens of the groups this program is in, at most 8 of 1 to 255 bytes. Representations of visibility
    ///     ``ItemProviderRepresentationVisibility/group`` are there for programs that have a token in common. A token is
    ///     a secret: whoever knows it is in the group.
    public convenience init(socketPath: String? = nil, startsBroker: Bool = true, groups: [String] = []) {
        self.init(groups: groups) {
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
            if !startsBroker { connector.startsBroker = false }
            return BrokerSocket(descriptor: try connector.connect(), path: connector.socket.path)
        }
    }

    /// - Parameter connector: makes a connected socket; it may wait.
    package init(
        groups: [String] = [],
        timeouts: ConnectionTimeouts = ConnectionTimeouts(),
        connector: @escaping @Sendable () throws -> BrokerSocket
    ) {
        self.groups = groups
        self.timeouts = timeouts
        self.connector = connector
    }

    deinit {
        if case .connected(let live) = state.withLock({ $0.phase }) { live.close(Self.closedFailure) }
    }

    /// Ends the connection for good: what is under way fails, what was published over it is gone.
    public func close() async {
        let (phase, greeting) = state.withLock { state in
            defer { (state.phase, state.greeting) = (.closed, nil) }
            return (state.phase, state.greeting)
        }
        greeting?.close(Self.closedFailure)
        switch phase {
        case .connected(let live): live.close(Self.closedFailure)
        case .connecting(let waiting): for result in waiting { result.resolve(.failure(Self.closedError)) }
        case .idle, .closed: break
        }
    }

    /// Returns the live connection, or opens one. The call's cancellation and timeout end the wait.
    func liveConnection(for call: Call) async throws(PasteboardError) -> LiveConnection {
        let waiting = PendingResult<LiveConnection>()
        let (isMaker, error) = state.withLock { state -> (Bool, PasteboardError?) in
            if let process = state.process, process != System.processID { return (false, Self.forkedError(process)) }
            state.process = System.processID
            switch state.phase {
            case .closed:
                return (false, Self.closedError)
            case .connecting(let others):
                state.phase = .connecting(others + [waiting])
                return (false, nil)
            case .connected(let live) where !live.isOver:
                waiting.resolve(.success(live))
                return (false, nil)
            case .idle, .connected:
                state.phase = .connecting([waiting])
                return (true, nil)
            }
        }
        if let error { throw error }
        if isMaker { HandlerPool.connections.run { self.connect(triesLeft: BrokerConnector.attempts) } }
        return try await waiting.value(for: call) {
            self.state.withLock { state in
                guard case .connecting(let others) = state.phase else { return }
                state.phase = .connecting(others.filter { $0 !== waiting })
            }
        } start: {
        }
    }

    /// A broker that dies takes connections for a moment still, and never answers them: who comes right behind its end
    /// connects again, which starts the next one.
    private func connect(triesLeft: Int) {
        let outcome = Result { () throws(PasteboardError) in try makeLiveConnection() }
        guard case .success(let live) = outcome, expect(live) else { return connected(outcome) }
        // Not on the threads of Swift's concurrency, which a program may block.
        Task(executorPreference: HandlerPool.connections) {
            guard await live.greet(), triesLeft > 1, self.expect(nil) else { return self.connected(outcome) }
            HandlerPool.connections.run { self.connect(triesLeft: triesLeft - 1) }
        }
    }

    /// - Returns: false: it was closed meanwhile.
    private func expect(_ live: LiveConnection?) -> Bool {
        state.withLock { state in
            guard case .connecting = state.phase else { return false }
            state.greeting = live
            return true
        }
    }

    private func connected(_ outcome: Result<LiveConnection, PasteboardError>) {
        let waiting = state.withLock { state -> [PendingResult<LiveConnection>]? in
            state.greeting = nil
            guard case .connecting(let waiting) = state.phase else { return nil }
            if case .success(let live) = outcome { state.phase = .connected(live) } else { state.phase = .idle }
            return waiting
        }
        // The connection was closed meanwhile.
        if waiting == nil, case .success(let live) = outcome { live.close(Self.closedFailure) }
        for result in waiting ?? [] { result.resolve(outcome) }
    }

    private func makeLiveConnection() throws(PasteboardError) -> LiveConnection {
        do {
            let socket = try connector()
            var hello = Hello()
            hello.label = (try? System.programPath())?.split(separator: "/").last.map(String.init)
            hello.groups = groups
            let path = socket.path
            return try LiveConnection(adopting: socket.descriptor, path: path, hello: hello, timeouts: timeouts)
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
            message: "process \(process) made this connection; a child made by fork has to make its own"
        )
    }
}

/// A connected socket, and where it leads.
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
