/// A table whose ids are slot and generation: found without hashing, and an id of something that is gone finds
/// nothing instead of its successor in the slot.
package struct SlotTable<Element> {
    package struct ID: Hashable, Sendable {
        package let slot: UInt32
        package let generation: UInt32

        package init(slot: UInt32, generation: UInt32) {
            self.slot = slot
            self.generation = generation
        }

        /// Generation above slot, in one number.
        package init(rawValue: UInt64) {
            self.slot = UInt32(truncatingIfNeeded: rawValue)
            self.generation = UInt32(truncatingIfNeeded: rawValue >> 32)
        }

        package var rawValue: UInt64 { UInt64(self.generation) << 32 | UInt64(self.slot) }
    }

    struct Slot {
        /// Odd while there is an element.
        var generation: UInt32
        var element: Element?
    }

    private let firstGeneration: UInt32
    private var slots: [Slot] = []
    private var free: [UInt32] = []

    /// Ids start at `firstGeneration` (an even one counts as the next), so that tables of two lives need not share ids.
    package init(firstGeneration: UInt32 = 1) {
        self.firstGeneration = firstGeneration | 1
    }

    package var count: Int { self.slots.count - self.free.count }
    package var isEmpty: Bool { self.count == 0 }

    package mutating func insert(_ element: Element) -> ID {
        if let slot = self.free.popLast() {
            self.slots[Int(slot)].element = element
            self.slots[Int(slot)].generation &+= 1
            return ID(slot: slot, generation: self.slots[Int(slot)].generation)
        }
        let slot = UInt32(truncatingIfNeeded: self.slots.count)
        self.slots.append(Slot(generation: self.firstGeneration, element: element))
        return ID(slot: slot, generation: self.firstGeneration)
    }

    @discardableResult
    package mutating func remove(_ id: ID) -> Element? {
        guard self.holds(id) else { return nil }
        let element = self.slots[Int(id.slot)].element.take()
        self.slots[Int(id.slot)].generation &+= 1
        self.free.append(id.slot)
        return element
    }

    /// A copy of the element. Inlined, so that who asks for one field copies that and not its arrays.
    package subscript(id: ID) -> Element? {
        @inline(__always)
        get { self.holds(id) ? self.slots[Int(id.slot)].element : nil }
    }

    /// Changes the element in place; nothing happens if it is gone.
    ///
    /// Not a `_modify` of the subscript: with `?.` behind it that is a coroutine which is never inlined, and the frame of
    /// each call comes from the heap.
    @inline(__always)
    package mutating func update(_ id: ID, _ change: (inout Element) -> Void) {
        guard self.holds(id) else { return }
        // Held, as was just asked; to take the element out and put it back would be two copies of it.
        // swift-format-ignore: NeverForceUnwrap
        change(&self.slots[Int(id.slot)].element!)
    }

    /// Whether the id was given out at some time: its slot has reached its generation.
    package func hasIssued(_ id: ID) -> Bool {
        guard Int(id.slot) < self.slots.count else { return false }
        let generation = self.slots[Int(id.slot)].generation
        return id.generation & 1 == 1 && id.generation >= self.firstGeneration && id.generation <= generation
    }

    package var ids: [ID] {
        self.slots.indices.compactMap { index in
            self.slots[index].generation & 1 == 0
                ? nil : ID(slot: UInt32(truncatingIfNeeded: index), generation: self.slots[index].generation)
        }
    }

    @inline(__always)
    package func holds(_ id: ID) -> Bool {
        id.generation & 1 == 1 && Int(id.slot) < self.slots.count
            && self.slots[Int(id.slot)].generation == id.generation
    }
}

extension SlotTable: Sendable where Element: Sendable {}
extension SlotTable.Slot: Sendable where Element: Sendable {}
