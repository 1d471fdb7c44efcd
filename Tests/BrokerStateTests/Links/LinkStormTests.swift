import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Brokers that are linked in rings and stars agree, whatever the order in which links pass contents on.
@Suite(.pure) struct LinkStormTests {
    @Test("A storm of writes and clears ends, and all boards have the newest", arguments: UInt64(0)..<20)
    func storm(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let linked = seed.isMultiple(of: 2) ? LinkedBrokers.ring(3) : .star(10)
        let writers = linked.brokers.map { $0.connect("writer") }
        // The clocks differ by much more than the storm lasts.
        for broker in linked.brokers { broker.setWall(1_000_000 + UInt64.random(in: 0...100_000, using: &generator)) }
        for _ in 0..<40 {
            let index = Int.random(in: 0..<writers.count, using: &generator)
            if Int.random(in: 0..<5, using: &generator) == 0 {
                linked.brokers[index].clear(from: writers[index])
            } else {
                linked.brokers[index].promise("a", from: writers[index])
            }
            for _ in 0..<Int.random(in: 0...8, using: &generator) {
                _ = linked.turn { Int.random(in: 0..<$0, using: &generator) }
            }
            linked.brokers[index].advance(by: UInt64.random(in: 0...60, using: &generator))
        }
        #expect(linked.settle { Int.random(in: 0..<$0, using: &generator) })
        expectAgreement(linked)
        // The program that writes now has seen the others, so it wins with any clock.
        let last = Int.random(in: 0..<writers.count, using: &generator)
        linked.brokers[last].promise("a", from: writers[last])
        #expect(linked.settle { Int.random(in: 0..<$0, using: &generator) })
        expectAgreement(linked)
        #expect(linked.shown.allSatisfy { $0?.path.first == linked.brokers[last].epoch })
        for broker in linked.brokers { #expect(broker.finish().isEmpty) }
    }

    private func expectAgreement(_ linked: LinkedBrokers) {
        let shown = linked.shown
        for origin in shown {
            #expect(origin?.path.first == shown[0]?.path.first && origin?.milliseconds == shown[0]?.milliseconds)
        }
    }

    @Test("The death of a source in a ring empties every board, and nothing circulates", arguments: UInt64(0)..<10)
    func death(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let linked = LinkedBrokers.ring(3 + Int(seed % 3))
        let writer = linked.brokers[0].connect("writer")
        linked.brokers[0].promise("a", from: writer)
        #expect(linked.settle { Int.random(in: 0..<$0, using: &generator) })
        #expect(linked.shown.allSatisfy { $0?.path.first == 100 })
        linked.brokers[0].disconnect(writer)
        #expect(linked.settle { Int.random(in: 0..<$0, using: &generator) })
        #expect(linked.shown.allSatisfy { $0 == nil })
    }

    @Test("Contents come back after a link of a ring was lost", arguments: UInt64(0)..<10)
    func lostLink(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let linked = LinkedBrokers.ring(4)
        let writer = linked.brokers[0].connect("writer")
        linked.brokers[0].promise("a", from: writer)
        for _ in 0..<3 {
            #expect(linked.settle { Int.random(in: 0..<$0, using: &generator) })
            let before = linked.shown
            #expect(before.allSatisfy { $0?.path.first == 100 })
            let one = Int.random(in: 0..<4, using: &generator)
            linked.unlink(one, (one + 1) % 4)
            #expect(linked.settle { Int.random(in: 0..<$0, using: &generator) })
            linked.link(one, (one + 1) % 4)
        }
        #expect(linked.settle { Int.random(in: 0..<$0, using: &generator) })
        #expect(linked.shown.allSatisfy { $0?.path.first == 100 })
    }
}
