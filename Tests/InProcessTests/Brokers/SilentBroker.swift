import PasteboardClient
import PasteboardKit
import PasteboardTransport
import TestSupport

/// A broker that accepts connections and never answers a request, so that only the caller can end a wait.
final class SilentBroker: Sendable {
    private let welcomes: Bool
    private let peers = Lock<[ScriptedPeer]>([])

    /// - Parameter welcomes: whether the broker answers hello with welcome.
    init(welcomes: Bool = true) {
        self.welcomes = welcomes
    }

    func connect() -> PasteboardConnection {
        var timeouts = ConnectionTimeouts()
        timeouts.welcome = 600_000
        timeouts.silence = 600_000
        return PasteboardConnection(timeouts: timeouts) {
            let pair = try Socket.pair()
            let own = try System.duplicate(pair.first.raw)
            let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
            if self.welcomes { try peer.welcome() }
            self.peers.withLock { $0.append(peer) }
            return BrokerSocket(descriptor: own, path: "test")
        }
    }
}
