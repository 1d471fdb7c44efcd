import PasteboardClient
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport

/// A broker that a test writes: it answers each frame of the library as the test says, on a thread of its own.
final class ScriptedBroker: Sendable {
    typealias Answer = @Sendable (ScriptedPeer, ScriptedPeer.Frame) throws -> Void

    private let welcome: Welcome?
    private let answer: Answer

    /// - Parameters:
    ///   - welcome: the answer to hello; nil for none.
    ///   - answer: it may throw, or send until that fails: then the connection is over.
    init(welcome: Welcome? = .standard(), _ answer: @escaping Answer) {
        // A write to a connection that the library has closed must fail only the write.
        System.ignoreBrokenPipes()
        self.welcome = welcome
        self.answer = answer
    }

    /// A broker that never answers a request, so that only the caller can end a wait.
    static func silent(welcomes: Bool = true) -> ScriptedBroker {
        ScriptedBroker(welcome: welcomes ? .standard() : nil) { _, _ in }
    }

    func connect(timeouts: ConnectionTimeouts = .endless) -> PasteboardConnection {
        PasteboardConnection(timeouts: timeouts) { _ in try self.socket() }
    }

    /// A socket of which this broker serves the other end.
    func socket() throws -> BrokerSocket {
        let pair = try Socket.pair()
        let own = try System.duplicate(pair.first.raw)
        let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
        try SystemThread(name: "scripted broker") {
            do {
                _ = try peer.next(.hello)
                if let welcome = self.welcome { try peer.send(welcome, stream: 0) }
                while true { try self.answer(peer, try peer.next()) }
            } catch {
                peer.close()
            }
        }.detach()
        return BrokerSocket(descriptor: own, path: "test")
    }
}
