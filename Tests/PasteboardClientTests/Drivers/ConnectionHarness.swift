import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport

/// A blocking connection whose broker is a script on a separate thread.
struct ConnectionHarness {
    let connection: BlockingConnection
    let peer: ScriptedPeer
    private let thread: SystemThread

    /// - Parameter script: begins after hello was received and answered. An error in it ends the connection.
    init(
        timeouts: ConnectionTimeouts = .endless,
        script: @escaping @Sendable (ScriptedPeer) throws -> Void
    ) throws {
        try self.init(
            timeouts: timeouts,
            wholeScript: { peer in
                _ = try peer.next(.hello)
                try peer.welcome()
                try script(peer)
            }
        )
    }

    init(
        timeouts: ConnectionTimeouts = .endless,
        wholeScript: @escaping @Sendable (ScriptedPeer) throws -> Void
    ) throws {
        let pair = try Socket.pair()
        // The descriptors of a pair cannot be moved out of it, so duplicates are used and the pair closes its own here.
        let near = try System.duplicate(pair.first.raw)
        let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
        self.peer = peer
        connection = BlockingConnection(adopting: near, path: "/test/socket")
        connection.io.timeouts = timeouts
        thread = try SystemThread(name: "scripted peer") {
            do { try wholeScript(peer) } catch { peer.close() }
        }
        thread.detach()
    }
}
