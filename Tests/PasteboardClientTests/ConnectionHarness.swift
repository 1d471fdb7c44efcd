import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport

/// A blocking connection whose broker is a script on a thread of its own.
struct ConnectionHarness {
    let connection: BlockingConnection
    let peer: ScriptedPeer
    private let thread: SystemThread

    /// - Parameter script: begins once hello has come and been answered; what it throws ends the connection.
    init(
        patience: Patience = .endless,
        script: @escaping @Sendable (ScriptedPeer) throws -> Void
    ) throws {
        try self.init(
            patience: patience,
            wholeScript: { peer in
                _ = try peer.next(.hello)
                try peer.welcome()
                try script(peer)
            }
        )
    }

    init(
        patience: Patience = .endless,
        wholeScript: @escaping @Sendable (ScriptedPeer) throws -> Void
    ) throws {
        let pair = try Socket.pair()
        // A pair cannot be taken apart; it closes its own descriptors here.
        let near = try System.duplicate(pair.first.raw)
        let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
        self.peer = peer
        self.connection = BlockingConnection(adopting: near, path: "/test/socket")
        self.connection.io.patience = patience
        self.thread = try SystemThread(name: "scripted peer") {
            do { try wholeScript(peer) } catch { peer.close() }
        }
        self.thread.detach()
    }
}

extension Patience {
    /// What must not end a wait.
    static var endless: Patience {
        var patience = Patience()
        patience.welcome = 600_000
        patience.silence = 600_000
        patience.probe = 600_000
        return patience
    }
}
