import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A connection of a traced program, and the one to the broker that replaces it.
final class TracedConnection {
    private let number: Int
    private let program: OwnedDescriptor
    private let broker: OwnedDescriptor
    private var requests: TracedDirection
    private var answers: TracedDirection
    /// Whether both connections are to be closed.
    private(set) var isOver = false

    init(_ number: Int, program: consuming OwnedDescriptor, broker: consuming OwnedDescriptor) {
        self.number = number
        self.program = program
        self.broker = broker
        requests = TracedDirection(number, .toBroker, from: self.program.raw, to: self.broker.raw)
        answers = TracedDirection(number, .fromBroker, from: self.broker.raw, to: self.program.raw)
        for socket in [self.program.raw, self.broker.raw] { Socket.enlargeBuffers(of: socket) }
        // The listener's sockets do not accept descriptors.
        Socket.setPassesDescriptors(self.program.raw, true)
    }

    /// The readiness to wait for at both sockets.
    var interests: (program: PollInterest, broker: PollInterest) {
        (
            Self.interest(program.raw, from: requests, to: answers),
            Self.interest(broker.raw, from: answers, to: requests)
        )
    }

    /// - Parameters:
    ///   - outgoing: the direction that reads from the socket.
    ///   - incoming: the one that writes to it.
    private static func interest(
        _ socket: CInt,
        from outgoing: borrowing TracedDirection,
        to incoming: borrowing TracedDirection
    ) -> PollInterest {
        var readiness: PollInterest.Readiness = []
        if outgoing.wantsRead { readiness.insert(.readable) }
        if incoming.wantsWrite { readiness.insert(.writable) }
        // A descriptor for which nothing can be done is left out: `poll` reports a close without being asked for it.
        return PollInterest(readiness.isEmpty && !outgoing.awaitsClose ? -1 : socket, readiness)
    }

    func step(
        ready: (program: PollInterest.Readiness, broker: PollInterest.Readiness),
        through buffer: inout ReadBuffer,
        _ output: TraceOutput
    ) {
        requests.step(source: ready.program, target: ready.broker, through: &buffer, output)
        answers.step(source: ready.broker, target: ready.program, through: &buffer, output)
        // A side that has closed its socket, and not only its sending direction, also gets nothing any more.
        guard requests.isOver && answers.isOver || requests.isGone || answers.isGone else { return }
        isOver = true
        let side = answers.endedFirst(before: requests) ? "the broker" : "the program"
        let text = "closed by \(side): sent \(requests.counts), received \(answers.counts)"
        output.print(FrameLine(connection: number, text).text)
    }
}
