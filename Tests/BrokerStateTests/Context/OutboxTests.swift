import BrokerModel
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerState

@Suite(.pure) struct OutboxTests {
    private let bystander = PeerID(slot: 0, generation: 1)
    private let ended = PeerID(slot: 1, generation: 1)

    @Test(
        "Frames for a peer that follow its last error are sent neither to it nor to another peer",
        arguments: [
            // The next frame must not join the removed frames, or the frames before them.
            ([(true, 2), (false, 3), (true, 4), (false, 5)], [3, 5]), ([(false, 3), (true, 4)], [3]), ([], []),
        ] as [([(Bool, UInt64)], [UInt64])]
    )
    func removal(of frames: [(Bool, UInt64)], leaving left: [UInt64]) {
        var outbox = Outbox()
        outbox.send(Cancel(), to: bystander, stream: 1)
        outbox.send(Failure(.protocolViolation, "its last frame"), to: ended, stream: 0)
        let position = outbox.end
        for (isEnded, stream) in frames { outbox.send(Cancel(), to: isEnded ? ended : bystander, stream: stream) }
        outbox.removeFrames(to: ended, after: position)
        outbox.send(Cancel(), to: bystander, stream: 7)
        #expect(streams(of: outbox, for: ended) == [0])
        #expect(streams(of: outbox, for: bystander) == [1] + left + [7])
    }

    private func streams(of outbox: borrowing Outbox, for peer: PeerID) -> [UInt64] {
        outbox.eachFrame.filter { $0.send.peer == peer }.map(\.header.stream)
    }
}
