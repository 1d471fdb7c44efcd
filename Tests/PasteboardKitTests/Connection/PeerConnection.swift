import PasteboardClient
import PasteboardTransport
import TestSupport

@testable import PasteboardKit

/// A connection of the library to a broker whose part the test plays, after the welcome.
struct PeerConnection {
    let connection: PasteboardConnection
    let live: BrokerConnection
    let peer: ScriptedPeer

    init() async throws {
        let pair = try Socket.pair()
        let own = DescriptorBox(try System.duplicate(pair.first.raw))
        peer = ScriptedPeer(try System.duplicate(pair.second.raw))
        try peer.welcome()
        connection = PasteboardConnection { _ in
            BrokerSocket(descriptor: try System.duplicate(own.raw), path: "test")
        }
        live = try await connection.liveConnection(for: Call("the test"))
    }
}
