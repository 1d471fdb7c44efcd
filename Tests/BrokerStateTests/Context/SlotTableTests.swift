import TestSupport
import Testing

@testable import BrokerModel
@testable import BrokerState

@Suite(.pure) struct SlotTableTests {
    /// A record that counts its deinitializations.
    private struct Record: ~Copyable {
        final class Ends {
            var count = 0
        }

        var value: Int
        let ends: Ends

        deinit { ends.count += 1 }
    }

    @Test("An id finds its record until the record is removed, and never a later record in the same slot")
    func identity() throws {
        let ends = Record.Ends()
        var table = SlotTable<Record>()
        let first = table.insert(Record(value: 1, ends: ends))
        let found = table.find(first)
        let slot = try #require(found)
        table[slot].value += 1
        #expect(table[slot].value == 2)
        _ = table.remove(slot)
        #expect(ends.count == 1)
        let second = table.insert(Record(value: 3, ends: ends))
        #expect(second.slot == first.slot && second != first)
        #expect(table.find(first) == nil)
        #expect(table.find(second).map { table[$0].value } == 3)
        let (knowsFirst, knowsNext) = (table.hasIssued(first), table.hasIssued(.init(slot: 1, generation: 1)))
        #expect(knowsFirst && !knowsNext)
    }

    @Test("Records keep their values while the table grows, and each is released once")
    func growth() {
        let ends = Record.Ends()
        do {
            var table = SlotTable<Record>()
            let ids = (0..<100).map { table.insert(Record(value: $0, ends: ends)) }
            for id in ids where id.slot % 2 == 0 { table.remove(id) }
            #expect(ends.count == 50)
            let values = table.ids.compactMap { id in table.find(id).map { table[$0].value } }
            #expect(values == (0..<100).filter { $0 % 2 == 1 })
            #expect(table.count == 50)
        }
        #expect(ends.count == 100)
    }

    @Test("One id finds the records of two tables that are filled in parallel")
    func mirrored() {
        let ends = Record.Ends()
        var table = SlotTable<Record>()
        var mirror = SlotTable<Record>()
        var ids: [SlotTable<Record>.ID] = []
        for value in 0..<6 {
            let id = table.insert(Record(value: value, ends: ends))
            // An id that is used only in the first table leaves a gap in the second one.
            if value != 3 { mirror.insert(Record(value: value, ends: ends), at: id) }
            ids.append(id)
        }
        table.remove(ids[4])
        mirror.remove(ids[4])
        let again = table.insert(Record(value: 7, ends: ends))
        mirror.insert(Record(value: 7, ends: ends), at: again)
        #expect(mirror.find(again).map { mirror[$0].value } == 7)
        #expect(mirror.find(ids[3]) == nil && mirror.find(ids[4]) == nil)
        #expect(mirror.count == 5)
    }

    @Test("An iteration visits the records in the order of slots, also if the current record is removed")
    func walk() {
        let ends = Record.Ends()
        var table = SlotTable<Record>()
        for value in 0..<5 { table.insert(Record(value: value, ends: ends)) }
        var seen: [Int] = []
        var cursor: SlotTable<Record>.Slot?
        while let slot = table.next(after: cursor) {
            cursor = slot
            seen.append(table[slot].value)
            if seen.count == 2 { _ = table.remove(slot) }
        }
        #expect(seen == [0, 1, 2, 3, 4])
        #expect(table.count == 4)
    }
}
