import TestSupport
import Testing

@testable import BrokerState

@Suite(.pure) struct RoomQueueTests {
    @Test("The time since which a process has waited stays when loads that have ended are removed")
    func removal() {
        let account = Accounting.AccountID(slot: 1, generation: 1)
        let loads = [1, 2].map { LoadID(slot: $0, generation: 1) }
        var queue = RoomQueue()
        queue.append(loads[0], of: account, at: 5)
        queue.append(loads[1], of: account, at: 9)
        queue.removeAll { $0 == loads[0] }
        #expect(queue.count == 1 && queue.since(of: account) == 5)
    }
}
