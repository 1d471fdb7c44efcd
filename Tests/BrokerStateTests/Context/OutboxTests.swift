import BrokerModel
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerState

@Suite(.pure) struct OutboxTests {
    private let bystander = PeerID(slot: 0, generation: 1)
    private let ended = PeerID(slot: 1, generation: 1)

    @Test("Frames for a peer that follow its last error are sent neither to it nor to another peer")
    func removal() {
        // The next frame must not join the removed frames, or the frames before them.
        expectRemoval(sending: [(ended, 2), (bystander, 3), (ended, 4), (bystander, 5)], leaving: [3, 5])
    }

    @Test("The frame after removed ones does not bring them back")
    func removalAtEnd() {
        expectRemoval(sending: [(bystander, 3), (ended, 4)], leaving: [3])
    }

    /// Sends frames after the last one for the ended peer, removes that peer's, and sends one more to the bystander.
    private func expectRemoval(sending frames: [(peer: PeerID, stream: UInt64)], leaving left: [UInt64]) {
        var outbox = Outbox()
        outbox.send(Failure(.protocolViolation, "its last frame"), to: ended, stream: 0)
        let position = outbox.end
        for (peer, stream) in frames { outbox.send(Cancel(), to: peer, stream: stream) }
        outbox.removeFrames(to: ended, after: position)
        outbox.send(Cancel(), to: bystander, stream: 7)
        #expect(streams(of: outbox, for: ended) == [0])
        #expect(streams(of: outbox, for: bystander) == left + [7])
    }

    @Test("Without frames after the last one, nothing is removed")
    func noRemoval() {
        var outbox = Outbox()
        outbox.send(Cancel(), to: bystander, stream: 1)
        outbox.send(Failure(.protocolViolation, "its last frame"), to: ended, stream: 0)
        outbox.removeFrames(to: ended, after: outbox.end)
        outbox.send(Cancel(), to: bystander, stream: 3)
        #expect(streams(of: outbox, for: ended) == [0])
        #expect(streams(of: outbox, for: bystander) == [1, 3])
    }

    private func streams(of outbox: borrowing Outbox, for peer: PeerID) -> [UInt64] {
        outbox.eachFrame.filter { $0.send.peer == peer }.map(\.header.stream)
    }
}
