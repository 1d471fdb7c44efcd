import TestSupport
import Testing

@testable import BrokerLoop

@Suite(.pure) struct HeldBytesTests {
    @Test("Memory is given back when most of many bytes are gone, and not for few bytes")
    func trimming() {
        var held = HeldBytes()
        var times = 0
        var now: UInt64 = 0
        func change(from before: Int, to after: Int) {
            if held.change(from: before, to: after, at: now) { times += 1 }
        }
        for _ in 0..<100 {
            change(from: 0, to: 60_000)
            change(from: 60_000, to: 0)
        }
        #expect(times == 0)
        for _ in 0..<100 { change(from: 0, to: 60_000) }
        for _ in 0..<70 { change(from: 60_000, to: 0) }
        #expect(times == 0)
        for _ in 0..<30 { change(from: 60_000, to: 0) }
        #expect(times == 1)
        // Not again and again, but later.
        change(from: 0, to: 8 << 20)
        change(from: 8 << 20, to: 1)
        #expect(times == 1)
        now += 250
        change(from: 1, to: 0)
        #expect(times == 2)
    }
}
