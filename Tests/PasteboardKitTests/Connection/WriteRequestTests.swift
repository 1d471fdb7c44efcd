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
        let pair = try Socket.pair()
        let own = DescriptorBox(try System.duplicate(pair.first.raw))
        let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
        try peer.welcome()
        let connection = PasteboardConnection { _ in
            BrokerSocket(descriptor: try System.duplicate(own.raw), path: "test")
        }
        let live = try await connection.liveConnection(for: Call("the test"))
        let write = WriteRequest([], StandingWrite(Write()), at: try connection.brokers())
        write.send(keeping: .nothing, over: live) { state throws(Failure) in try state.open(Write()) }
        var client = ClientState()
        _ = write.handle(.committed(1, Committed()), in: Span(), of: nil, &client)
        write.result.resolve(.failure(.cancelled))
        write.cancel(over: live)
        write.deliver()
        let isWithdrawn = if case .withdrawn = write.end.value { true } else { false }
        #expect(isWithdrawn && !write.isRestorable)
        await connection.close()
    }
}
