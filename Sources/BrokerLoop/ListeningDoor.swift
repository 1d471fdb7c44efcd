import BrokerState
package import PasteboardTransport
import PasteboardWire

/// The socket that clients connect to: one of our own at a place that this process claims, or one that the service
/// manager passed, whose path is not ours to remove.
package final class ListeningDoor: Door {
    /// Connections taken in one turn, so that a storm of them does not keep the others waiting.
    private static let perTurn = 64
    /// How long the door stays shut when not even a refusal was possible.
    private static let pauseMilliseconds: UInt64 = 100

    private var claimed: ClaimedPlace?
    private var inherited: ListeningSocket?

    package var descriptor: CInt { self.claimed?.listener.raw ?? self.inherited?.raw ?? -1 }

    package init(claiming place: SocketPlace) throws(PlaceError) {
        self.claimed = try ClaimedPlace(claiming: place, refusal: Self.refusal)
    }

    package init(inherited: consuming ListeningSocket) {
        self.inherited = consume inherited
    }

    /// What a connection is told that cannot be served for want of descriptors.
    package static var refusal: [UInt8] {
        let text = "the broker has no descriptor left for another connection; raise its limit on open files"
        return Self.encode(Failure(.limitExceeded, text))
    }

    /// Whether the path leads to this socket; nobody finds a broker whose socket is gone.
    package var isReachable: Bool { self.claimed?.isReachable ?? true }

    package func opened(in loop: inout BrokerLoop) {
        for _ in 0..<Self.perTurn {
            do {
                switch try self.accept() {
                case .connection(let descriptor): self.admit(descriptor, to: &loop)
                case .none: return
                case .refused: self.report(Failure(.limitExceeded, "no descriptor left"), to: &loop)
                case .exhausted: return loop.pause(self, milliseconds: Self.pauseMilliseconds)
                }
            } catch {
                self.report(Failure(.limitExceeded, "\(error)"), to: &loop)
                return loop.pause(self, milliseconds: Self.pauseMilliseconds)
            }
        }
    }

    /// Logs a connection that was refused before its process was known.
    private func report(_ failure: Failure, to loop: inout BrokerLoop) {
        loop.report(PeerRemoval(.refused, process: 0, name: "a connection", failure))
    }

    package func closes(in loop: inout BrokerLoop) {
        loop.remove(self)
        self.claimed?.withdraw()
        self.claimed = nil
        self.inherited = nil
    }

    private func accept() throws(SystemError) -> ListeningSocket.Accepted {
        if let accepted = try self.claimed?.listener.accept() { return accepted }
        if let accepted = try self.inherited?.accept() { return accepted }
        return .none
    }

    /// The directory keeps other users out. A connection that another user makes nevertheless, for example through a
    /// descriptor that was passed on, is refused.
    private func admit(_ descriptor: consuming OwnedDescriptor, to loop: inout BrokerLoop) {
        var credentials: PeerCredentials?
        do throws(Failure) {
            let process = try self.identify(descriptor, &credentials)
            Socket.enlargeBuffers(of: descriptor.raw)
            loop.adopt(descriptor, of: process)
        } catch {
            if let credentials {
                loop.report(PeerRemoval(.refused, process: UInt32(bitPattern: credentials.process), error))
            } else {
                self.report(error, to: &loop)
            }
            try? System.write(Self.encode(error).span, to: descriptor.raw)
        }
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

    private static func encode(_ failure: Failure) -> [UInt8] {
        var encoder = FrameEncoder()
        encoder.append(failure, stream: 0)
        return encoder.bytes
    }
}
