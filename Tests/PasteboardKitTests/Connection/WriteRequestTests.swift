import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct WriteRequestTests {
    @Test("A write that is cancelled while its commit arrives does not stand, so that nothing waits for it")
    func cancelledAtCommit() async throws {
        let pair = try await PeerConnection()
        let write = WriteRequest([], StandingWrite(Write()), at: try pair.connection.brokers())
        write.send(keeping: .nothing, over: pair.live) { state throws(Failure) in try state.open(Write()) }
        var client = ClientState()
        _ = write.handle(.committed(1, Committed()), in: Span(), of: nil, &client)
        write.result.resolve(.failure(.cancelled))
        write.cancel(over: pair.live)
        write.deliver()
        let isWithdrawn = if case .withdrawn = write.end.value { true } else { false }
        #expect(isWithdrawn && !write.isRestorable)
        await pair.connection.close()
    }
}
