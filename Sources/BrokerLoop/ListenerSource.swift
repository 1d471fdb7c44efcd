import BrokerState
package import PasteboardTransport
import PasteboardWire

/// The event source for new connections: the broker's own listening socket at a path that this process has claimed, or
/// a socket that the service manager passed, whose path this process must not remove.
package final class ListenerSource: EventSource {
    /// The number of connections accepted in one turn, so that a storm of them does not delay other peers.
    private static let perTurn = 64
    /// The time for which no connection is accepted after not even a refusal was possible.
    private static let pauseMilliseconds: UInt64 = 100

    private var claimed: ClaimedSocket?
    private var inherited: ListeningSocket?

    package var descriptor: CInt { claimed?.raw ?? inherited?.raw ?? -1 }

    /// - Parameter claimed: a path that listens.
    init(_ claimed: consuming ClaimedSocket) {
        self.claimed = consume claimed
    }

    package init(inherited: consuming ListeningSocket) {
        self.inherited = consume inherited
    }

    /// The frame for a connection that cannot be served because the process has no descriptor left.
    package static var refusal: [UInt8] {
        let text = "the broker has no descriptor left for another connection; raise its limit on open files"
        return encode(Failure(.limitExceeded, text))
    }

    /// Whether the path leads to this socket. Otherwise no client finds the broker.
    package var isReachable: Bool { claimed?.isReachable ?? true }

    package func ready(in loop: inout BrokerLoop) {
        for _ in 0..<Self.perTurn {
            do {
                switch try accept() {
                case .connection(let descriptor): admit(descriptor, to: &loop)
                case .none: return
                case .refused: report(Failure(.limitExceeded, "no descriptor left"), to: &loop)
                case .exhausted: return loop.pause(self, milliseconds: Self.pauseMilliseconds)
                }
            } catch {
                report(Failure(.limitExceeded, "\(error)"), to: &loop)
                return loop.pause(self, milliseconds: Self.pauseMilliseconds)
            }
        }
    }

    package func draining(in loop: inout BrokerLoop) {
        if loop.keepsPath {
            // Connections wait in the queue until the other broker listens. Then they are closed, and come to it.
            loop.unwatch(self)
            claimed?.handOver()
        } else {
            loop.remove(self)
            claimed?.withdraw()
            claimed = nil
            inherited = nil
        }
    }

    private func accept() throws(SystemError) -> ListeningSocket.Accepted {
        if let accepted = try claimed?.accept() { return accepted }
        if let accepted = try inherited?.accept() { return accepted }
        return .none
    }

    /// The directory keeps other users out. A connection that another user makes nevertheless, for example through a
    /// descriptor that was passed on, is refused.
    private func admit(_ descriptor: consuming OwnedDescriptor, to loop: inout BrokerLoop) {
        var credentials: PeerCredentials?
        do throws(Failure) {
            let process = try identify(descriptor, &credentials)
            Socket.enlargeBuffers(of: descriptor.raw)
            loop.adopt(descriptor, of: process)
        } catch {
            if let credentials {
                loop.report(PeerRemoval(.refused, process: UInt32(bitPattern: credentials.process), error))
            } else {
                report(error, to: &loop)
            }
            try? System.write(Self.encode(error).span, to: descriptor.raw)
        }
    }

    /// Logs a connection that was refused before its process was known.
    private func report(_ failure: Failure, to loop: inout BrokerLoop) {
        loop.report(PeerRemoval(.refused, process: 0, name: "a connection", failure))
    }

    private func identify(
        _ descriptor: borrowing OwnedDescriptor,
        _ known: inout PeerCredentials?
    ) throws(Failure) -> ProcessKey {
        do {
            let credentials = try PeerCredentials(of: descriptor.raw)
            known = credentials
            guard credentials.user == System.userID else {
                let text = "user \(credentials.user) may not use the pasteboards of user \(System.userID)"
                throw Failure(.notPermitted, text)
            }
            let identity = try ProcessIdentity(peerOf: descriptor.raw, credentials: credentials)
            return ProcessKey(pid: UInt32(bitPattern: credentials.process), identity: identity.second)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.limitExceeded, "the broker cannot determine the connecting process: \(error)")
        }
    }

    static func encode(_ failure: Failure) -> [UInt8] {
        var encoder = FrameMemory()
        encoder.append(failure, stream: 0)
        return encoder.bytes
    }
}
