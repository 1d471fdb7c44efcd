import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The connection of a command to this user's broker.
enum Broker {
    /// - Parameters:
    ///   - isRequired: whether a broker is started if there is none, or its absence is an error if the connector starts
    ///     none.
    ///   - streams: the number of asks that are open at once; nil for the default.
    private static func connected(
        through connector: BrokerConnector,
        isRequired: Bool,
        streams: UInt32? = nil,
        until deadline: UInt64
    ) throws -> BlockingConnection? {
        var hello = Hello()
        hello.label = ProgramLabel.current
        hello.programVersion = ProgramVersion.current
        hello.maximumStreams = streams
        let end = min(deadline, Invocation.current.deadline)
        return try BlockingConnection.greeted(through: connector, hello: hello, isRequired: isRequired, until: end)
            .map { Invocation.current.limit($0) }
    }

    /// The connection for commands that provide something: starts a broker if none is running.
    ///
    /// - Parameters:
    ///   - mayStart: false if the absence of a broker is an error.
    ///   - deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    static func startingOne(
        mayStart: Bool = true,
        streams: UInt32? = nil,
        until deadline: UInt64 = .max
    ) throws -> BlockingConnection {
        var connector = try BrokerConnector()
        if !mayStart { connector.startsBroker = false }
        let connection = try connected(through: connector, isRequired: true, streams: streams, until: deadline)
        guard let connection else {
            throw Failure(.brokerUnavailable, "no broker is running at \(connector.socket.path)")
        }
        return connection
    }

    /// The connection for commands that only read; nil without a broker, because a new one would hold nothing. If
    /// programs may not start a broker, its absence is an error.
    ///
    /// - Parameter deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    static func running(streams: UInt32? = nil, until deadline: UInt64 = .max) throws -> BlockingConnection? {
        let connector = try BrokerConnector()
        // A connector that starts none states in its error how the user can.
        let isRequired = !connector.startsBroker
        return try connected(through: connector, isRequired: isRequired, streams: streams, until: deadline)
    }

    /// Makes a request of a broker, and makes it again as its recovery decides.
    ///
    /// - Parameters:
    ///   - deadline: the time at which connecting fails with `timeout` (see `MonotonicClock`).
    ///   - streams: the number of asks that are open at once; nil for the default.
    ///   - startsOne: whether a broker may be started if nothing was sent to the first one.
    static func recovering<Answer>(
        _ recovery: Recovery = Recovery(.read),
        over connection: BlockingConnection,
        until deadline: UInt64 = .max,
        streams: UInt32? = nil,
        startsOne: Bool = false,
        _ request: (BlockingConnection) throws -> Answer
    ) throws -> Answer {
        var (recovery, connection) = (recovery, connection)
        while true {
            do {
                return try request(connection)
            } catch {
                guard let lost = connection.requestFailure(error) else { throw error }
                switch recovery.next(after: lost.loss, at: lost.reached) {
                case .again(let delay):
                    _ = try System.poll([], milliseconds: delay)
                    continue
                case .connect(_, let mayStart):
                    let next =
                        mayStart && startsOne
                        ? try startingOne(streams: streams)
                        : try running(streams: streams, until: deadline)
                    if let next {
                        connection = next
                        continue
                    }
                case .fail: break
                }
                var failure = lost.failure
                failure.text += recovery.remark(after: lost.loss, at: lost.reached)
                throw failure
            }
        }
    }
}
