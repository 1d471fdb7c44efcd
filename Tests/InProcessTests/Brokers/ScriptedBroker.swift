import PasteboardClient
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport

/// A broker that a test writes: it answers each frame of the library as the test says, on a thread of its own.
final class ScriptedBroker: Sendable {
    typealias Answer = @Sendable (ScriptedPeer, ScriptedPeer.Frame) throws -> Void

    private let welcome: Welcome
    private let answer: Answer

    /// - Parameter answer: it may throw, or send until that fails: then the connection is over.
    init(welcome: Welcome = .standard(), _ answer: @escaping Answer) {
        // A write to a connection that the library has closed must fail only the write.
        System.ignoreBrokenPipes()
        self.welcome = welcome
        self.answer = answer
    }

    func connect() -> PasteboardConnection {
        var timeouts = ConnectionTimeouts()
        timeouts.welcome = 600_000
        timeouts.silence = 600_000
        return PasteboardConnection(timeouts: timeouts) {
            let pair = try Socket.pair()
            let own = try System.duplicate(pair.first.raw)
            let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
            try SystemThread(name: "scripted broker") {
                do {
                    _ = try peer.next(.hello)
                    try peer.send(self.welcome, stream: 0)
                    while true { try self.answer(peer, try peer.next()) }
                } catch {
                    peer.close()
                }
            }.detach()
            return BrokerSocket(descriptor: own, path: "test")
        }
    }
}
