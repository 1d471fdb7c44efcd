import BrokerModel
import TestSupport
import Testing

@testable import BrokerState

@Suite(.pure) struct PlacesTests {
    private static let one = Accounting.AccountID(slot: 1, generation: 1)
    private static let other = Accounting.AccountID(slot: 2, generation: 1)

    private static func load(_ slot: UInt32) -> LoadID { LoadID(slot: slot, generation: 1) }

    /// Places that the first process has taken as far as it may.
    private static func taken(_ limit: Int) -> Places {
        var places = Places(limit)
        while places.take(for: one) {}
        return places
    }

    @Test(
        "A process leaves an eighth of the places, at least one of several, to those that have none",
        arguments: [(1, 1), (2, 1), (3, 2), (16, 14), (128, 112)]
    )
    func reserve(_ limit: Int, _ most: Int) {
        var places = Self.taken(limit)
        #expect(places.taken == most)
        let (first, second) = (places.take(for: Self.other), places.take(for: Self.other))
        #expect(first == (limit > most) && !second)
        #expect(!Self.taken(0).isAwaited && Self.taken(0).isUnused)
    }

    @Test("Processes take turns, and the loads of each process keep their order", .tags(.f43))
    func turns() {
        var places = Self.taken(1)
        for slot in 1...3 { places.append(Self.load(UInt32(slot)), of: Self.one, at: 5) }
        places.append(Self.load(9), of: Self.other, at: 7)
        #expect(places.since == 5 && places.next() == nil)
        var order: [UInt32] = []
        var owner = Self.one
        while places.isAwaited {
            places.giveBack(by: owner)
            let load = places.next()?.slot ?? 0
            owner = load == 9 ? Self.other : Self.one
            order.append(load)
        }
        #expect(order == [1, 9, 2, 3])
        places.giveBack(by: owner)
        #expect(places.isUnused)
    }

    @Test("Of the reserved places, a process that has none takes the next, although others have waited longer")
    func newcomer() {
        var places = Self.taken(16)
        places.append(Self.load(1), of: Self.one, at: 0)
        for account in 2...3 as ClosedRange<UInt32> {
            let isTaken = places.take(for: Accounting.AccountID(slot: account, generation: 1))
            #expect(isTaken)
        }
        places.append(Self.load(2), of: Accounting.AccountID(slot: 4, generation: 1), at: 0)
        places.giveBack(by: Self.other)
        #expect(places.next() == Self.load(2) && places.next() == nil)
        places.giveBack(by: Self.one)
        #expect(places.next() == nil, "the reserve is in use")
        for _ in 0..<2 { places.giveBack(by: Self.one) }
        #expect(places.next() == Self.load(1))
    }

    @Test("A load that ends while it waits is removed")
    func removal() {
        var places = Self.taken(1)
        places.append(Self.load(1), of: Self.one, at: 0)
        places.append(Self.load(2), of: Self.other, at: 0)
        #expect(places.areAwaited(byOthersThan: Self.one))
        places.remove(Self.load(2), of: Self.one)
        #expect(places.waitingCount == 2, "it is in another's line")
        places.remove(Self.load(2), of: Self.other)
        #expect(places.waitingCount == 1 && !places.contains(Self.load(2)))
        #expect(places.isAwaited && !places.areAwaited(byOthersThan: Self.one))
    }

    @Test("A process with clearly fewer waiting loads takes the turn of the newest load of the process with the most")
    func displacement() {
        var places = Self.taken(1)
        for slot in 1...3 { places.append(Self.load(UInt32(slot)), of: Self.one, at: 0) }
        #expect(places.displaced(by: Self.one) == nil)
        #expect(places.displaced(by: Self.other) == Self.load(3))
        places.append(Self.load(8), of: Self.other, at: 0)
        places.append(Self.load(9), of: Self.other, at: 0)
        #expect(places.displaced(by: Self.other) == nil, "both would have three")
    }
}
