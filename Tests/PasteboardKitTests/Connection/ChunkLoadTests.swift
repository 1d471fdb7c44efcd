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
        let pair = try await PeerConnection()
        let load = ChunkLoad(.png, progress: nil, deadline: nil, live: pair.live)
        load.cancel(PasteboardError(.timeout, message: "too late"))
        var client = ClientState()
        _ = load.handle(.answered(1, AnswerFields()), in: Span(), of: nil, &client)
        let error = await #expect(throws: PasteboardError.self) { try await load.chunks.next() }
        #expect(error?.message == "too late")
        await pair.connection.close()
    }
}
