import BrokerState
import TestSupport
import Testing

@testable import BrokerLoop

@Suite(.pure) final class ReadingQueueTests {
    private var queue = ReadingQueue()

    private static let quantum = ReadingQueue.quantum

    private static func account(_ number: UInt32) -> Accounting.AccountID {
        Accounting.AccountID(slot: number, generation: 1)
    }

    /// A connection of a process. Its number shows both.
    private static func peer(_ process: UInt32, _ connection: UInt32 = 0) -> PeerID {
        PeerID(slot: process * 100 + connection, generation: 1)
    }

    private func connect(_ process: UInt32, connections: UInt32 = 1) {
        for connection in 0..<connections {
            queue.connected(of: Self.account(process))
            queue.append(Self.peer(process, connection), of: Self.account(process))
        }
    }

    // `#expect` cannot use noncopyable values.

    private var count: Int { queue.count }

    private func next() -> ReadingQueue.Visit? { queue.next() }

    /// Takes visits, each of which costs `cost(process)`. After its visit, a connection waits again.
    private func visit(_ count: Int, cost: (UInt32) -> Int) -> [PeerID] {
        var visited: [PeerID] = []
        for _ in 0..<count {
            guard let visit = queue.next() else { break }
            visited.append(visit.peer)
            let process = visit.peer.slot / 100
            queue.append(visit.peer, of: Self.account(process))
            queue.charge(cost(process), for: visit)
        }
        return visited
    }

    @Test("Processes are visited in turn, whatever the number of their connections", .tags(.f43))
    func processes() {
        connect(1, connections: 5)
        connect(2)
        connect(3, connections: 2)
        let visited = visit(9) { _ in Self.quantum }
        #expect(visited.map { $0.slot / 100 } == [1, 2, 3, 1, 2, 3, 1, 2, 3])
        #expect(visited.map { $0.slot % 100 } == [0, 0, 0, 1, 0, 1, 2, 0, 0])
    }

    @Test("A process with cheap input is visited again until that has cost as much as the input of others")
    func cheap() {
        connect(1)
        connect(2)
        let visited = visit(44) { $0 == 1 ? Self.quantum : Self.quantum / 10 }
        #expect(visited.count { $0.slot / 100 == 1 } == 4)
    }

    @Test("Expensive input is paid for in later rounds, in which others are visited")
    func expensive() {
        connect(1)
        connect(2)
        let visited = visit(12) { $0 == 1 ? 5 * Self.quantum : Self.quantum }
        #expect(visited.map { $0.slot / 100 } == [1, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2])
    }

    @Test("A process without other input before it is visited at once, whatever it has taken")
    func alone() {
        connect(1)
        #expect(visit(3) { _ in 20 * Self.quantum }.count == 3)
    }

    @Test("Work outside of visits is charged too, up to a limit")
    func charged() {
        connect(1)
        connect(2)
        queue.charge(41 * Self.quantum, to: Self.account(1))
        let visited = visit(60) { _ in Self.quantum }
        #expect(visited.firstIndex { $0.slot / 100 == 1 } == 41)
    }

    @Test("A process that ends during its visit leaves nothing, and its place may be used by another one")
    func ends() throws {
        connect(1, connections: 2)
        connect(2)
        let first = try #require(next())
        #expect(first.peer == Self.peer(1, 0))
        queue.disconnected(of: Self.account(1))
        queue.disconnected(of: Self.account(1))
        queue.charge(10, for: first)
        #expect(count == 1)
        let other = Accounting.AccountID(slot: 1, generation: 3)
        queue.connected(of: other)
        queue.append(Self.peer(3), of: other)
        #expect(count == 2)
        let second = try #require(next())
        #expect(second.peer == Self.peer(2))
        queue.charge(10, for: second)
        let third = try #require(next())
        #expect(third.peer == Self.peer(3) && count == 0)
        queue.charge(10, for: third)
        #expect(next()?.peer == nil)
    }

    @Test("The connections of a process that ends while it waits are not visited")
    func endsWaiting() throws {
        connect(1, connections: 2)
        connect(2)
        queue.disconnected(of: Self.account(1))
        queue.disconnected(of: Self.account(1))
        #expect(count == 1)
        let visit = try #require(next())
        #expect(visit.peer == Self.peer(2))
    }
}
