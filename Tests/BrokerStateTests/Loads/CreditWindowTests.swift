import BrokerModel
import TestSupport
import Testing

@testable import BrokerState

@Suite(.pure) struct CreditWindowTests {
    private static let vast = UInt64.max

    /// A window that grows by all that it can use.
    private static func window(credit: UInt64, available: UInt64 = vast) -> CreditWindow {
        var window = CreditWindow(credit: credit)
        if let wanted = window.wanted(of: available) { window.widen(by: wanted) }
        return window
    }

    @Test("The first grant is the least of the credit, the available bytes and the window")
    func firstGrant() {
        for (credit, available, granted, size) in [
            (100, Self.vast, 100, 4 << 10), (1 << 20, 7, 7, 4 << 10), (100_000, Self.vast, 100_000, 100_000),
            (1 << 20, Self.vast, 256 << 10, 256 << 10),
        ] {
            var window = Self.window(credit: UInt64(credit), available: available)
            #expect(window.open(available: available) == UInt64(granted) && window.size == UInt64(size))
        }
    }

    @Test("After the first grant the window may have its largest size, as far as the destination can use it")
    func largest() {
        var window = Self.window(credit: Self.vast)
        _ = window.open(available: Self.vast)
        #expect(window.wanted(of: Self.vast) == CreditWindow.largest - CreditWindow.initial)
        #expect(window.wanted(of: 300 << 10) == (300 << 10) - CreditWindow.initial)
        #expect(window.wanted(of: 256 << 10) == nil)
    }

    @Test("More is granted if it is half a window, or all available bytes, or if the source waits")
    func laterGrants() {
        var window = Self.window(credit: Self.vast)
        let size = window.open(available: Self.vast)
        window.receive(size - 1)
        window.deliver(size / 2 - 1)
        #expect(window.grow(available: Self.vast) == false)
        var half = window
        half.deliver(1)
        #expect(half.grow(available: Self.vast) && half.granted == size + size / 2)
        var all = window
        #expect(all.grow(available: size + 1) && all.granted == size + 1)
        window.receive(1)
        #expect(window.isUsedUp && window.grow(available: Self.vast) && window.granted == size + size / 2 - 1)
        #expect(window.grow(available: Self.vast) == false)
    }

    @Test("Without room for more, a load has the smallest window")
    func smallest() {
        var window = CreditWindow(credit: Self.vast)
        #expect(window.open(available: Self.vast) == CreditWindow.smallest)
        window.receive(CreditWindow.smallest)
        #expect(window.grow(available: Self.vast) == false)
        window.deliver(.max)
        #expect(window.isDelivered && window.grow(available: Self.vast))
        #expect(window.granted == 2 * CreditWindow.smallest)
    }

    @Test("Credit never decreases, and delivered bytes never exceed received bytes")
    func bounds() {
        var window = CreditWindow(credit: 10)
        #expect(!window.allow(9) && window.allow(11) && window.credit == 11)
        _ = window.open(available: Self.vast)
        window.receive(4)
        window.deliver(9)
        #expect(window.delivered == 4)
        window.close()
        #expect(window.granted == 4)
    }
}
