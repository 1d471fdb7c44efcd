/// A table of records that are found by slot and generation, without hashing, and changed in place.
///
/// An `ID` may be stored, sent and compared: after its record has been removed, it finds nothing, not the next record
/// of the same slot. A `Slot` is an ID that was looked up. It is used at once and not stored: after one `find`, each
/// field is read and written in place. A record is never copied, so it may be noncopyable.
///
///     guard let slot = table.find(id) else { return }
///     table[slot].count += 1
///
/// The memory is the table's own, because Swift's arrays hold copyable values only, and because an element of an array
/// cannot be addressed twice without two checks. It is public for the optimizer, which does not specialize `package`
/// generic functions of another module. This is the only type of the module with unsafe constructs. It upholds
/// two rules: a record is initialized exactly while its generation is odd, and every access checks that.
@safe public struct SlotTable<Record: ~Copyable>: ~Copyable {
    /// The slot and the generation of a record.
    public struct ID: Hashable, BitwiseCopyable, Sendable {
        @usableFromInline package let slot: UInt32
        @usableFromInline package let generation: UInt32

        @inlinable
        package init(slot: UInt32, generation: UInt32) {
            self.slot = slot
            self.generation = generation
        }

        /// The generation above the slot, in one number.
        @inlinable
        package init(rawValue: UInt64) {
            slot = UInt32(truncatingIfNeeded: rawValue)
            generation = UInt32(truncatingIfNeeded: rawValue >> 32)
        }

        /// The id of no record.
        @inlinable package static var none: ID { ID(slot: 0, generation: 0) }

        @inlinable package var rawValue: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
    }

    /// The index of an existing record. Valid until the record is removed.
    public struct Slot: Equatable, BitwiseCopyable, Sendable {
        @usableFromInline let index: UInt32

        @inlinable
        init(index: UInt32) {
            self.index = index
        }
    }

    @usableFromInline let firstGeneration: UInt32
    /// Odd while the slot has a record.
    @usableFromInline var generations: UnsafeMutablePointer<UInt32>
    @usableFromInline var records: UnsafeMutablePointer<Record>
    @usableFromInline var capacity = 0
    /// Slots that have had a record.
    @usableFromInline var used = 0
    @usableFromInline var free: [UInt32] = []

    /// - Parameter firstGeneration: the start of the generations (an even number counts as the next one), so that
    ///   tables of two lifetimes need not share ids.
    @inlinable
    public init(firstGeneration: UInt32 = 1) {
        self.firstGeneration = firstGeneration | 1
        unsafe generations = .allocate(capacity: 0)
        unsafe records = .allocate(capacity: 0)
    }

    @inlinable
    deinit {
        for index in 0..<used where unsafe generations[index] & 1 == 1 {
            unsafe (records + index).deinitialize(count: 1)
        }
        unsafe generations.deallocate()
        unsafe records.deallocate()
    }

    @inlinable
    package var count: Int { used - free.count }
    @inlinable
    package var isEmpty: Bool { count == 0 }

    // MARK: Finding

    /// The slot of a record; nil if the record has been removed.
    @inlinable
    @inline(__always)
    public func find(_ id: ID) -> Slot? {
        holds(id) ? Slot(index: id.slot) : nil
    }

    @inlinable
    @inline(__always)
    package func holds(_ id: ID) -> Bool {
        guard id.generation & 1 == 1, Int(id.slot) < used else { return false }
        return unsafe generations[Int(id.slot)] == id.generation
    }

    /// A record, in place.
    @inlinable
    @inline(__always)
    public subscript(_ slot: Slot) -> Record {
        unsafeAddress {
            checkIsLive(slot)
            return unsafe UnsafePointer(records + Int(slot.index))
        }
        unsafeMutableAddress {
            checkIsLive(slot)
            return unsafe records + Int(slot.index)
        }
    }

    /// A slot that is used after its record was removed must not reach freed memory. After `find`, the compiler removes
    /// this check.
    @inlinable
    @inline(__always)
    func checkIsLive(_ slot: Slot) {
        precondition(Int(slot.index) < used)
        unsafe precondition(generations[Int(slot.index)] & 1 == 1)
    }

    @inlinable
    package func id(of slot: Slot) -> ID {
        checkIsLive(slot)
        return unsafe ID(slot: slot.index, generation: generations[Int(slot.index)])
    }

    /// The record after `slot` in the order of slots, or the first one. The record of `slot` may have been removed.
    @inlinable
    package func next(after slot: Slot? = nil) -> Slot? {
        var index = slot.map { Int($0.index) + 1 } ?? 0
        while index < used {
            if unsafe generations[index] & 1 == 1 { return Slot(index: UInt32(truncatingIfNeeded: index)) }
            index += 1
        }
        return nil
    }

    /// Moves a cursor to the next record, and returns its slot; nil after the last record. The table may be changed
    /// between the calls.
    @inlinable
    package func advance(_ cursor: inout Slot?) -> Slot? {
        guard let slot = next(after: cursor) else { return nil }
        cursor = slot
        return slot
    }

    @inlinable
    package var ids: [ID] {
        var ids: [ID] = []
        ids.reserveCapacity(count)
        var cursor: Slot?
        while let slot = advance(&cursor) { ids.append(id(of: slot)) }
        return ids
    }

    /// Whether the table has ever issued the id: its slot has reached its generation.
    @inlinable
    package func hasIssued(_ id: ID) -> Bool {
        guard Int(id.slot) < used else { return false }
        let generation = unsafe generations[Int(id.slot)]
        return id.generation & 1 == 1 && id.generation >= firstGeneration && id.generation <= generation
    }

    // MARK: Changing

    @inlinable
    @discardableResult
    package mutating func insert(_ record: consuming Record) -> ID {
        // Not `popLast`, which calls generic code.
        if !free.isEmpty {
            let slot = free.removeLast()
            let index = Int(slot)
            unsafe (records + index).initialize(to: record)
            unsafe generations[index] &+= 1
            return unsafe ID(slot: slot, generation: generations[index])
        }
        let slot = UInt32(truncatingIfNeeded: used)
        if used == capacity { grow() }
        unsafe (records + used).initialize(to: record)
        unsafe (generations + used).initialize(to: firstGeneration)
        used += 1
        return ID(slot: slot, generation: firstGeneration)
    }

    /// Puts a record into the slot of another table's record, with that record's generation, so that both are found by
    /// one id. A table is filled either only in this way or only by `insert(_:)`.
    @inlinable
    package mutating func insert(_ record: consuming Record, at id: ID) {
        let index = Int(id.slot)
        while used <= index {
            if used == capacity { grow() }
            unsafe (generations + used).initialize(to: 0)
            free.append(UInt32(truncatingIfNeeded: used))
            used += 1
        }
        guard let position = free.lastIndex(of: id.slot), id.generation & 1 == 1 else { return }
        free.remove(at: position)
        unsafe (records + index).initialize(to: record)
        unsafe generations[index] = id.generation
    }

    @inlinable
    @discardableResult
    package mutating func remove(_ slot: Slot) -> Record {
        checkIsLive(slot)
        unsafe generations[Int(slot.index)] &+= 1
        free.append(slot.index)
        return unsafe (records + Int(slot.index)).move()
    }

    @inlinable
    @discardableResult
    package mutating func remove(_ id: ID) -> Record? {
        guard let slot = find(id) else { return nil }
        return remove(slot)
    }

    @inlinable
    mutating func grow() {
        let capacity = max(8, self.capacity * 2)
        let generations = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
        let records = UnsafeMutablePointer<Record>.allocate(capacity: capacity)
        unsafe generations.moveInitialize(from: self.generations, count: used)
        for index in 0..<used where unsafe generations[index] & 1 == 1 {
            unsafe (records + index).moveInitialize(from: self.records + index, count: 1)
        }
        unsafe self.generations.deallocate()
        unsafe self.records.deallocate()
        unsafe self.generations = generations
        unsafe self.records = records
        self.capacity = capacity
    }
}

// The records are accessed only through the table, which has one owner. So the table may be sent to another thread if
// the records may.
extension SlotTable: @unchecked Sendable where Record: Sendable & ~Copyable {}
