import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Accepts the connections of a program at a private socket, and forwards each to the broker.
final class TraceLoop {
    /// The time for which no connection is accepted then.
    private static let pauseMilliseconds = 100

    /// The path of the private socket.
    let socket: String

    private let output: TraceOutput
    private let connector: BrokerConnector
    private let signals: SignalBox
    // The lock that comes with it keeps a traced broker from the path, which would replace the socket.
    private var claimed: ClaimedSocket
    private var connections: [TracedConnection] = []
    private var connectionCount = 0
    private var buffer = ReadBuffer()
    /// Whether not even a refusal was possible for a connection that waits.
    private var isPaused = false

    init(output: TraceOutput, connector: BrokerConnector, signals: SignalBox) throws {
        self.output = output
        self.connector = connector
        self.signals = signals
        PrivateDirectory.removeLeftovers("trace")
        socket = "\(try PrivateDirectory.newPath("trace"))/socket"
        do throws(SocketPathError) {
            claimed = try ClaimedSocket(claiming: SocketPath(socket, isWellKnown: false), refusal: Self.refusal)
        } catch {
            throw CommandFailure(local: "cannot listen at \(socket): \(error); set TMPDIR to another directory")
        }
    }

    /// The frame for a connection for which no descriptor is left.
    private static var refusal: [UInt8] {
        frame(
            Failure(
                .limitExceeded,
                "the trace has no descriptor left for another connection; raise its limit on open files"
            )
        )
    }

    private static func frame(_ failure: Failure) -> [UInt8] {
        var encoder = FrameEncoder()
        encoder.append(failure, stream: 0)
        return encoder.bytes
    }

    /// Forwards until the program and all connections have ended. Returns the program's exit code.
    func run(_ program: TracedProgram) throws -> CInt {
        // The program has started, with the limit of the caller.
        System.raiseDescriptorLimit()
        var exitCode: CInt?
        while true {
            // Connections that the program made just before its end are still accepted.
            if let exitCode, connections.isEmpty, try !accept() { return exitCode }
            let interests = connections.map(\.interests)
            let ready = try System.poll(
                [
                    PollInterest(isPaused ? -1 : claimed.listener.raw, .readable), PollInterest(signals.raw, .readable),
                    PollInterest(exitCode == nil ? program.descriptor.raw : -1, .readable),
                ] + interests.flatMap { [$0.program, $0.broker] },
                milliseconds: isPaused ? Self.pauseMilliseconds : nil
            )
            while let (signal, isFromKernel) = try signals.nextWithOrigin() {
                // A key of the terminal has reached the program, too.
                if let exitCode { return exitCode }
                if !isFromKernel { try? program.child.kill(signal) }
            }
            if exitCode == nil, !ready[2].isEmpty { exitCode = try program.exitCode() }
            for (index, connection) in connections.enumerated() {
                let states = (program: ready[3 + 2 * index], broker: ready[4 + 2 * index])
                connection.step(ready: states, through: &buffer, output)
            }
            connections.removeAll { $0.isOver }
            _ = try accept()
        }
    }

    /// Accepts the connections that wait. Returns whether there is one now.
    private func accept() throws -> Bool {
        isPaused = false
        while true {
            switch try claimed.listener.accept() {
            case .connection(let socket): open(socket)
            case .none: return !connections.isEmpty
            case .refused: output.print(FrameLine("a connection was refused: no descriptor is left").text)
            case .exhausted:
                isPaused = true
                return true
            }
        }
    }

    private func open(_ socket: consuming OwnedDescriptor) {
        connectionCount += 1
        do {
            let peer = try PeerCredentials(of: socket.raw)
            output.print(FrameLine(connection: connectionCount, "opened by process \(peer.process)").text)
            guard peer.user == System.userID else {
                throw Failure(.notPermitted, "user \(peer.user) may not use the pasteboards of user \(System.userID)")
            }
            let broker = try connector.connect()
            connections.append(TracedConnection(connectionCount, program: socket, broker: broker))
        } catch {
            refuse(socket, error as? Failure ?? Failure(.brokerUnavailable, "\(error)"))
        }
    }

    /// Reports the reason to the program, as a broker would.
    private func refuse(_ socket: consuming OwnedDescriptor, _ failure: Failure) {
        output.print(FrameLine(connection: connectionCount, "refused: \(failure.text.visible)").text)
        _ = try? Socket.send(Self.frame(failure).span, to: socket.raw)
    }
}
