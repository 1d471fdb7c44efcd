import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport

/// A loop with one connection whose broker is a script on a thread of its own.
enum EngineHarness {
    /// - Parameters:
    ///   - welcomes: whether hello is answered before `script` and `body` begin.
    ///   - script: the broker. An error in it ends the connection.
    ///   - body: runs on the loop, which is the calling thread.
    static func run(
        timeouts: ConnectionTimeouts = .endless,
        welcomes: Bool = true,
        script: @escaping @Sendable (ScriptedPeer) throws -> Void,
        body: @escaping @Sendable (BrokerConnection) async throws -> Void
    ) throws {
        let (near, peer) = try ends()
        try SystemThread(name: "scripted peer") {
            do {
                if welcomes {
                    _ = try peer.next(.hello)
                    try peer.welcome()
                }
                try script(peer)
            } catch {
                peer.close()
            }
        }.detach()
        _ = try Loop.run { loop in
            let connection = BrokerConnection(
                adopting: try System.duplicate(near.raw),
                path: "/test/socket",
                on: loop,
                timeouts: timeouts
            )
            if welcomes { try await connection.begin() }
            try await body(connection)
            return 0
        }
    }

    private static func ends() throws -> (near: DescriptorBox, peer: ScriptedPeer) {
        let pair = try Socket.pair()
        // The descriptors of a pair cannot be moved out of it, so duplicates are used, and the pair closes its own.
        return (
            DescriptorBox(try System.duplicate(pair.first.raw)), ScriptedPeer(try System.duplicate(pair.second.raw))
        )
    }
}
