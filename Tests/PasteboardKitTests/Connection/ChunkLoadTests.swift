import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct ChunkLoadTests {
    @Test("A load that is cancelled just before its answer leaves no reader waiting")
    func cancelledBeforeAnswer() async throws {
        let pair = try Socket.pair()
        let own = DescriptorBox(try System.duplicate(pair.first.raw))
        let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
        try peer.welcome()
        let connection = PasteboardConnection { _ in
            BrokerSocket(descriptor: try System.duplicate(own.raw), path: "test")
        }
        let live = try await connection.liveConnection(for: Call("the test"))
        let load = ChunkLoad(.png, progress: nil, deadline: nil, live: live)
        load.cancel(PasteboardError(.timeout, message: "too late"))
        var client = ClientState()
        _ = load.handle(.answered(1, AnswerFields()), in: Span(), of: nil, &client)
        let error = await #expect(throws: PasteboardError.self) { try await load.chunks.next() }
        #expect(error?.message == "too late")
        await connection.close()
    }
}
