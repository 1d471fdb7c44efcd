import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The bytes that the broker holds for peers that do not read, or that do not send the rest of a frame.
@Suite(.pure) struct BacklogTests {
    @Test("If the pool is full, the process with the most bytes loses its largest connection, and others lose nothing")
    func pool() {
        let broker = StateHarness { $0.controlPool = 1_000 }
        let greedy = (0..<10).map { _ in broker.connect(process: 7) }
        let other = broker.connect()
        broker.unread(300, of: other)
        for peer in greedy.dropLast() { broker.unread(70, of: peer) }
        broker.partial(5, of: greedy[4])
        #expect(broker.closed.isEmpty && broker.held.queued == 935)
        // Another process is growing, not the one with the most bytes.
        broker.partial(66, of: other)
        #expect(broker.closed == [greedy[4]])
        #expect(broker.take(greedy[4]).codes == [.limitExceeded])
        #expect(broker.held.queued == 926)
        for count in [200, 600, 634] { broker.unread(count, of: greedy[9]) }
        #expect(broker.closed == [greedy[4], greedy[9]] && broker.take(other).isEmpty)
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A peer whose backlog alone exceeds the pool is disconnected")
    func tooLarge() {
        let broker = StateHarness { $0.controlPool = 1_000 }
        let (peer, other) = (broker.connect(), broker.connect())
        broker.unread(999, of: other)
        broker.unread(0, of: other)
        broker.unread(1_001, of: peer)
        #expect(broker.closed == [peer] && broker.held.queued == 0)
    }

    @Test("A held peer whose backlog does not move for 10 s is disconnected, and one whose backlog moves is not")
    func unread() {
        let broker = StateHarness()
        let peer = broker.connect()
        broker.unread(70_000, of: peer, isHeldUp: true)
        for _ in 0..<5 {
            broker.advance(by: 9_000)
            broker.unread(70_000, of: peer, isHeldUp: true, hasRead: true)
        }
        broker.advance(by: 9_000)
        // Additional bytes do not count as movement.
        broker.unread(90_000, of: peer, isHeldUp: true)
        #expect(broker.closed.isEmpty)
        broker.advance(by: 1_000)
        #expect(broker.closed == [peer] && broker.take(peer).codes == [.timeout])
        #expect(broker.held == .nothing)
    }

    @Test("A small backlog may stay unread without limit")
    func little() {
        let broker = StateHarness()
        let peer = broker.connect()
        broker.unread(70_000, of: peer, isHeldUp: true)
        broker.unread(60_000, of: peer, hasRead: true)
        broker.advance(by: 3_600_000)
        broker.unread(61_000, of: peer)
        broker.advance(by: 3_600_000)
        #expect(broker.closed.isEmpty && broker.held.queued == 61_000)
    }

    @Test(
        "A peer that sends nothing of a begun frame for 10 s is disconnected, even if it is held up by unread bytes",
        .tags(.f07)
    )
    func partial() {
        let broker = StateHarness()
        let (peer, other) = (broker.connect(), broker.connect())
        for peer in [peer, other] { broker.partial(10, of: peer) }
        broker.advance(by: 9_000)
        broker.partial(10, of: other)
        broker.unread(70_000, of: peer, isHeldUp: true)
        broker.advance(by: 1_000)
        #expect(broker.closed == [peer] && broker.take(peer).codes == [.timeout])
        broker.partial(0, of: other)
        broker.advance(by: 3_600_000)
        #expect(broker.closed == [peer])
        // A report about a disconnected peer changes nothing.
        broker.partial(10, of: peer)
        #expect(broker.held.queued == 0)
    }
}
