import FoundationEssentials
package import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A connection to one broker.
///
/// It connects at the first request, and starts a broker if none runs.
///
/// If the connection is lost, for example because the broker has crashed, a read, or a write before its commit, is made
/// once more at the next broker. Loads of listed items that are under way, and changes that may have been carried out,
/// fail; <doc:WhenTheBrokerIsLost> has the rules. The next request connects again.
///
/// If the program has current publications, watches or destinations of drags, the connection does not wait for a
/// request: it connects again at once, and then tries again after delays from 10 ms to 30 s, as long as it fails. It
/// then restores them: a publication comes back under the change count that it had, unless other contents were written
/// in the meantime; a watch continues after the last change that it has reported; and a destination is registered
/// again. A broker that has crashed is started again, if the connection may start one. One that was stopped is not, but
/// the next request starts one.
///
/// The connection closes when no pasteboard, provider or publication refers to it any more. It does not survive a
/// `fork`: a child process has to make its own, and restores nothing.
public final class PasteboardConnection: Sendable, CustomStringConvertible {
    /// The connection to the user's own broker.
    public static let shared = PasteboardConnection()

    private struct State {
        /// Made by the first request.
        var brokers: Brokers?
        /// The process that has made the first request.
        var process: CInt?
        var isClosed = false
    }

    /// Whether no person asks for the loads.
    let isAutomatic: Bool
    private let options: Brokers.Options
    private let connector: Connector
    private let state = Lock(State())

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
        self.isAutomatic = isAutomatic
        self.connector = connector
        var options = Brokers.Options()
        options.hello.groups = groups
        options.timeouts = timeouts
        (options.connecting, options.closer) = (ThreadPool.files, .shared)
        options.abandonsLost = false
        self.options = options
    }

    deinit {
        end()
    }

    /// Whether it is connected.
    public var description: String {
        state.withLock(\.brokers)?.current == nil ? "not connected to a broker" : "connected to a broker"
    }

    /// The lifetime of the broker; nil without a connection.
    var epoch: UInt64? { state.withLock(\.brokers)?.current?.epoch }

    /// Closes the connection permanently: requests that are under way fail, and everything that was published over it
    /// is gone.
    public func close() async { end() }

    private func end() {
        let (brokers, process) = state.withLock { state in
            state.isClosed = true
            return (state.brokers.take(), state.process)
        }
        // A process created by fork has none of its threads.
        guard let brokers, process == System.processID else { return }
        brokers.end(Self.closedFailure)
        brokers.loop.end()
    }

    /// Returns the `Brokers`. The first call makes them, and starts the thread of the loop.
    func brokers() throws(PasteboardError) -> Brokers {
        if let brokers = try known() { return brokers }
        let (connector, loop): (Connector, Loop)
        do {
            (connector, loop) = (self.connector, try Loop())
            try loop.start(named: "pasteboard", stackSize: ThreadPool.stackSize)
        } catch {
            throw PasteboardError(Self.failure(of: error))
        }
        var options = options
        options.hello.label = (try? System.programPath())?.split(separator: "/").last.map(String.init)
        let made = Brokers(options, on: loop) { (mayStart, _) throws(Failure) in
            do { return try connector(mayStart) } catch { throw Self.failure(of: error) }
        }
        let isFirst = state.withLock { state in
            guard state.brokers == nil, !state.isClosed else { return false }
            (state.brokers, state.process) = (made, System.processID)
            return true
        }
        if isFirst { return made }
        loop.end()
        return try brokers()
    }

    /// Throws in a process that was created by fork after the first request: it has no thread that ends a wait.
    func checkProcess() throws(PasteboardError) {
        guard let process = state.withLock(\.process), process != System.processID else { return }
        throw PasteboardError(
            .invalidArgument,
            message: "process \(process) opened this connection; a process created by fork has to open its own"
        )
    }

    private func known() throws(PasteboardError) -> Brokers? {
        try checkProcess()
        return try state.withLock { state throws(PasteboardError) in
            if state.isClosed { throw PasteboardError(Self.closedFailure) }
            return state.brokers
        }
    }

    /// Returns the live connection, or opens one. The call's cancellation and timeout end the wait.
    ///
    /// - Parameter lost: the connection over which a request has failed that is made again: this opens another one, and
    ///   starts no broker for it.
    func liveConnection(
        after lost: BrokerConnection? = nil,
        for call: Call
    ) async throws(PasteboardError) -> BrokerConnection {
        let brokers = try brokers()
        try call.check()
        do throws(RequestFailure) {
            let found = try await brokers.connection(after: lost, mayStart: lost == nil, until: call.end)
            guard let found else { throw RequestFailure(Self.absence, .nobody, at: .nothing) }
            return found
        } catch {
            throw call.error(of: error.failure)
        }
    }

    private static func failure(of error: any Error) -> Failure {
        error as? Failure ?? Failure(.brokerUnavailable, "cannot connect to the broker: \(error)")
    }

    private static var absence: Failure { Failure(.brokerUnavailable, "no broker is running") }
    private static var closedFailure: Failure { Failure(.brokerUnavailable, "this connection was closed") }
}
