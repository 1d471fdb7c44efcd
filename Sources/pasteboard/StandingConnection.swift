import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The connection of a command of which something stands at the broker: an offer, a destination, or a watch.
///
/// After a lost broker it connects again as ``Recovery`` decides, and calls a closure that registers at the next broker
/// what stood at this one. It waits for the next attempt in the same `poll` as for the descriptors of the command.
final class StandingConnection {
    /// The connection, which may be lost.
    private(set) var connection: BlockingConnection
    /// The reason of the last loss; nil before one.
    private(set) var failure: Failure?
    private let streams: UInt32?
    private var recovery: Recovery
    private var reached = Recovery.Reached.request
    /// The next attempt to connect, and the time for it (see `MonotonicClock`); nil unless the connection is lost.
    private var attempt: (time: UInt64, mayStart: Bool)?
    private var isReported = false
    private var register: (BlockingConnection) throws -> Void = { _ in }

    /// - Parameters:
    ///   - verb: `standing`, or `bound` if what stands ends with its broker.
    ///   - streams: the number of asks that are open at once; nil for the default.
    init(_ connection: BlockingConnection, as verb: Recovery.Verb, streams: UInt32? = nil) {
        self.connection = connection
        self.streams = streams
        recovery = Recovery(verb)
    }

    var isLost: Bool { attempt != nil }

    /// Registers for the first time, and once more if the broker ends meanwhile and another one runs.
    ///
    /// - Parameter register: registers at a broker, also after a loss. It must not refer strongly to the caller.
    func begin(_ register: @escaping (BlockingConnection) throws -> Void) throws {
        self.register = register
        try turn { connection in
            try register(connection)
            return []
        }
        while isLost { try turn { _ in [] } }
        reached = .standing
    }

    /// Sets the closure that registers after a loss what stands already.
    func restore(_ register: @escaping (BlockingConnection) throws -> Void) {
        self.register = register
        reached = .standing
    }

    /// Lets the next attempt begin now.
    func hurry() {
        recovery.hurry()
        attempt?.time = 0
    }

    /// Lets `work` wait for events of the connection. While the connection is lost, waits for the next attempt and
    /// makes it, or until something is ready on `extra`, or until `deadline` (see `MonotonicClock`).
    ///
    /// - Returns: the result of `work`, or what is ready on `extra`, in its order.
    /// - Throws: the reason of a loss that is the end; other errors of `work` and of the closure that registers.
    @discardableResult
    func turn(
        watching extra: [PollInterest] = [],
        until deadline: UInt64 = .max,
        _ work: (BlockingConnection) throws -> [PollInterest.Readiness]
    ) throws -> [PollInterest.Readiness] {
        guard let attempt else {
            do { return try work(connection) } catch let failure as Failure {
                // Nothing is restored after the deadline of the command.
                try Invocation.current.check()
                try lose(failure, connection.io.loss(of: failure))
                // A broker that refuses requests still has the connection, and would wait for the answers of a source.
                connection.io.endWriting()
                return extra.map { _ in [] }
            }
        }
        if !exchange(&isReported, with: true) {
            StandardStreams.remark("the broker ended; connecting again")
        }
        let end = min(attempt.time, deadline, Invocation.current.deadline)
        let ready = try System.poll(extra, milliseconds: Int(MonotonicClock.millisecondsLeft(until: end)))
        try Invocation.current.check(after: failure)
        guard ready.allSatisfy(\.isEmpty), MonotonicClock.now() >= attempt.time else { return ready }
        try connect(mayStart: attempt.mayStart, until: deadline)
        return ready
    }

    private func connect(mayStart: Bool, until deadline: UInt64) throws {
        let next: BlockingConnection
        do {
            next = try Broker.startingOne(mayStart: mayStart, streams: streams, until: deadline)
        } catch let failure as Failure {
            switch failure.code {
            case .brokerUnavailable: return try lose(failure, .nobody)
            // It ends before it has welcomed anybody.
            case .brokerRestarted, .brokerStopped: return try lose(failure, Loss(failure))
            default: throw failure
            }
        }
        do {
            try register(next)
            connection = next
            (attempt, isReported) = (nil, false)
        } catch let failure as Failure {
            try lose(failure, next.io.loss(of: failure))
        }
    }

    private func lose(_ failure: Failure, _ loss: Loss) throws {
        // The end of the broker says more than the absence of the next one.
        self.failure = loss == .nobody ? self.failure ?? failure : failure
        let now = MonotonicClock.now()
        let step = recovery.next(after: loss, at: reached, now: now, random: .random(in: 0...1))
        guard case .connect(let delay, let mayStart) = step else { throw self.failure ?? failure }
        attempt = (now.addingClamped(UInt64(delay) * 1_000_000), mayStart)
    }
}
