import BrokerLoop
import PasteboardClient
import PasteboardTransport
import PasteboardWire

// The broker of a command.
extension Brokers {
    private convenience init(
        on loop: Loop,
        streams: UInt32? = nil,
        label: String? = nil,
        carriesOrigins: Bool? = nil,
        isWorthStarting: @escaping @Sendable (BrokerConnector) -> Bool
    ) throws {
        var hello = Hello()
        hello.label = label ?? ProgramLabel.current
        hello.programVersion = ProgramVersion.current
        hello.maximumStreams = streams
        hello.carriesOrigins = carriesOrigins
        let connector = try BrokerConnector()
        self.init(
            through: connector,
            hello: hello,
            // A bridge has more than one purpose.
            abandonsLost: carriesOrigins == nil,
            on: loop,
            deadline: { Invocation.current.deadline },
            isWorthStarting: { isWorthStarting(connector) },
            reportLoss: { StandardStreams.remark("the broker ended; connecting again") }
        )
    }

    /// The broker for commands that provide something or wait: one is started if none is running.
    ///
    /// - Parameters:
    ///   - streams: the number of asks that are open at once; nil for the default.
    static func startingOne(on loop: Loop, streams: UInt32? = nil) throws -> Brokers {
        try Brokers(on: loop, streams: streams) { _ in true }
    }

    /// The same for a bridge.
    ///
    /// - Parameter label: the name in lists.
    static func forBridge(on loop: Loop, label: String) throws -> Brokers {
        try Brokers(on: loop, label: label, carriesOrigins: true) { _ in true }
    }

    /// The broker for commands that only read; nil if none is running, because a new one would hold nothing. If
    /// programs may not start a broker, its absence is an error.
    ///
    /// - Parameters:
    ///   - streams: the number of asks that are open at once; nil for the default.
    ///   - deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    static func running(
        on loop: Loop,
        streams: UInt32? = nil,
        until deadline: UInt64 = .max
    ) async throws -> Brokers? {
        // A connector that starts none states in its error how the user can.
        try await Brokers(on: loop, streams: streams) { !$0.startsBroker }.connected(until: deadline)
    }

    /// The status of the broker of `running`; no entries if there is none.
    static func statusOfRunning(on loop: Loop) async throws -> [StatusEntry] {
        guard let brokers = try await running(on: loop) else { return [] }
        return try await brokers.recovering { try await $0.status() }
    }

    /// The broker for commands that look for contents: that of `running`, or a new one if contents are saved.
    static func holding(on loop: Loop, until deadline: UInt64 = .max) async throws -> Brokers? {
        try await Brokers(on: loop) { connector in
            !connector.startsBroker || KeptDirectory.hasContents(for: connector.socket)
                || DiskCopy.exists(for: connector.socket)
        }.connected(until: deadline)
    }

    /// The broker for commands about the broker itself.
    ///
    /// - Parameter hint: advice for the user, appended to the message.
    static func required(on loop: Loop, hint: String = "; copy, offer and drop start one") async throws -> Brokers {
        guard let running = try await present(on: loop) else {
            throw Failure(.brokerUnavailable, "no broker is running at \(try BrokerConnector().socket.path)\(hint)")
        }
        return running
    }

    /// Like `running`, but the absence of a broker is never an error.
    static func present(on loop: Loop, until deadline: UInt64 = .max) async throws -> Brokers? {
        try await Brokers(on: loop) { _ in false }.connected(until: deadline)
    }

    private func connected(until deadline: UInt64) async throws(Failure) -> Brokers? {
        do throws(RequestFailure) {
            return try await connection(until: deadline) == nil ? nil : self
        } catch {
            throw error.failure
        }
    }
}

extension Failure {
    static func noChangeCount(of board: String) -> Failure {
        Failure(.superseded, "no broker is running, so pasteboard \(board) has no change count")
    }
}
