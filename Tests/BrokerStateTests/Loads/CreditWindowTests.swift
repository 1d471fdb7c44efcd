import BrokerModel
import TestSupport
import Testing

@testable import BrokerState

@Suite(.pure) struct CreditWindowTests {
    private static let vast = UInt64.max

    @Test("The first grant is the least of the credit, the available bytes and the window")
    func firstGrant() {
        for (credit, available, granted) in [(100, Self.vast, 100), (1 << 20, 7, 7), (1 << 20, Self.vast, 256 << 10)] {
            var window = CreditWindow(credit: UInt64(credit))
            #expect(window.open(available: available, room: Self.vast) == UInt64(granted))
            #expect(window.outstanding == UInt64(granted))
        }
    }

    @Test("More is granted if it is half a window, or all available bytes, or if the source waits")
    func laterGrants() {
        var window = CreditWindow(credit: Self.vast)
        let initial = window.open(available: Self.vast, room: Self.vast)
        window.receive(initial - 1)
        #expect(window.deliver(1_000) == 1_000)
        #expect(window.grow(available: Self.vast, room: Self.vast) == nil)
        window.receive(1)
        #expect(window.isUsedUp)
        #expect(window.grow(available: Self.vast, room: Self.vast) == 1_000)
        // From the second grant on, the window has its largest size.
        window.receive(1_000)
        _ = window.deliver(.max)
        #expect(window.isDelivered)
        #expect(window.grow(available: Self.vast, room: Self.vast) == CreditWindow.largest)
        #expect(window.grow(available: Self.vast, room: Self.vast) == nil)
    }

    @Test("Half a window is worth a grant, and a byte less is not")
    func halfWindow() {
        var window = CreditWindow(credit: Self.vast)
        let size = window.open(available: Self.vast, room: Self.vast)
        window.receive(size - 1)
        _ = window.deliver(size / 2 - 1)
        #expect(window.grow(available: Self.vast, room: Self.vast) == nil)
        _ = window.deliver(1)
        #expect(window.grow(available: Self.vast, room: Self.vast) == size / 2)
    }

    @Test("Little room leads to the smallest window, and less to none")
    func littleRoom() {
        var window = CreditWindow(credit: Self.vast)
        #expect(window.open(available: Self.vast, room: CreditWindow.smallest - 1) == 0)
        #expect(window.needsRoom(available: Self.vast) && !window.needsRoom(available: 0))
        #expect(window.grow(available: Self.vast, room: CreditWindow.smallest) == CreditWindow.smallest)
        #expect(!window.needsRoom(available: Self.vast))
    }

    @Test("Credit never decreases, and delivered bytes never exceed received bytes")
    func bounds() {
        var window = CreditWindow(credit: 10)
        #expect(!window.allow(9) && window.allow(11) && window.credit == 11)
        _ = window.open(available: Self.vast, room: Self.vast)
        window.receive(4)
        #expect(window.deliver(9) == 4)
        #expect(window.close() == 7)
        #expect(window.outstanding == 0)
    }
}
