import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The attempts of a command to connect again after its broker has ended unexpectedly.
///
/// A broker that was stopped announces its end. No command starts a broker again after that.
struct Reconnection {
    private let connect: (UInt64) throws -> BlockingConnection?
    private var backoff = Backoff()
    /// The time of the next attempt (see `MonotonicClock`); nil if it has not been determined.
    private var next: UInt64?

    /// - Parameter connect: makes one attempt, which may take until the deadline that it is passed; nil if no broker
    ///   runs.
    init(_ connect: @escaping (_ deadline: UInt64) throws -> BlockingConnection?) {
        self.connect = connect
    }

    /// Whether a command that outlives its broker connects again after `failure`: of a request over `connection`, or of
    /// an attempt to connect.
    static func follows(_ failure: Failure, of connection: BlockingConnection? = nil) -> Bool {
        failure.code == .brokerUnavailable || connection?.io.loss(of: failure) == .crashed
    }

    /// Waits for the time of the next attempt, for `deadline`, or until something is ready on `extra`, and makes the
    /// attempt if its time has come.
    ///
    /// - Returns: the connection, if there is one now, and what is ready on `extra`.
    mutating func attempt(
        watching extra: [PollInterest] = [],
        until deadline: UInt64 = .max
    ) throws -> (connection: BlockingConnection?, ready: [PollInterest.Readiness]) {
        let time = next ?? MonotonicClock.deadline(milliseconds: backoff.delay())
        next = time
        let end = min(time, deadline, Invocation.current.deadline)
        let ready = try System.poll(extra, milliseconds: Int(MonotonicClock.millisecondsLeft(until: end)))
        try Invocation.current.check()
        guard MonotonicClock.now() >= time else { return (nil, ready) }
        next = nil
        do {
            return (try connect(deadline), ready)
        } catch let failure as Failure where Self.follows(failure) {
            return (nil, ready)
        }
    }
}
