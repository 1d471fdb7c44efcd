import BrokerModel
import TestSupport
import Testing

@testable import BrokerState

@Suite(.pure) struct SourceQueueTests {
    private static let one = Accounting.AccountID(slot: 1, generation: 1)
    private static let other = Accounting.AccountID(slot: 2, generation: 1)

    private static func load(_ slot: UInt32) -> LoadID { LoadID(slot: slot, generation: 1) }

    @Test("Processes take turns, and the loads of each process keep their order", .tags(.f43))
    func turns() {
        var queue = SourceQueue()
        for slot in 1...3 { queue.append(Self.load(UInt32(slot)), of: Self.one, at: 5) }
        queue.append(Self.load(9), of: Self.other, at: 7)
        #expect(queue.since == 5)
        var order: [UInt32] = []
        while let load = queue.popFirst() { order.append(load.slot) }
        #expect(order == [1, 9, 2, 3])
        #expect(queue.isEmpty)
    }

    @Test("A load that ends while it waits is removed, and a process without waiting loads leaves the queue")
    func removal() {
        var queue = SourceQueue()
        queue.append(Self.load(1), of: Self.one, at: 0)
        queue.append(Self.load(2), of: Self.other, at: 0)
        queue.remove(Self.load(2), of: Self.one)
        #expect(queue.count == 2, "it is in another's line")
        queue.remove(Self.load(2), of: Self.other)
        #expect(queue.count == 1 && !queue.contains(Self.load(2)))
        #expect(queue.popFirst() == Self.load(1))
    }

    @Test("A process with clearly fewer waiting loads takes the place of the newest load of the process with the most")
    func displacement() {
        var queue = SourceQueue()
        for slot in 1...3 { queue.append(Self.load(UInt32(slot)), of: Self.one, at: 0) }
        #expect(queue.displaced(by: Self.one) == nil)
        #expect(queue.displaced(by: Self.other) == Self.load(3))
        queue.append(Self.load(8), of: Self.other, at: 0)
        queue.append(Self.load(9), of: Self.other, at: 0)
        #expect(queue.displaced(by: Self.other) == nil, "both would have three")
    }

    @Test("The time since which a process has waited stays when loads that have ended are removed")
    func roomRemoval() {
        let account = Accounting.AccountID(slot: 1, generation: 1)
        let loads = [1, 2].map { LoadID(slot: $0, generation: 1) }
        var queue = RoomQueue()
        queue.append(loads[0], of: account, at: 5)
        queue.append(loads[1], of: account, at: 9)
        queue.removeAll { $0 == loads[0] }
        #expect(queue.count == 1 && queue.since(of: account) == 5)
    }
}
