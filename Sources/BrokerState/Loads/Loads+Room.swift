import PasteboardWire

// The loads' parts of the transfer pool, which the processes of their destinations hold. A load without room waits
// until its process has read some of what it holds. The requests of cached loads need no room: their bytes are stored
// at once.
extension Loads {
    /// The bytes that may be granted to a load that is not in the queue: none while others of its process wait.
    ///
    /// Mutating, because the compiler copies a context that is only borrowed.
    @inline(__always)
    mutating func room(for slot: Slot, _ context: inout BrokerContext) -> UInt64 {
        if loadTable[slot].isCaching { return .max }
        if !roomQueue.isEmpty, roomIsAwaited(for: slot) != nil { return 0 }
        return context.accounting.transferRoom(for: loadTable[slot].charge.account)
    }

    /// The time since which other loads of the process of a load's destination have waited for room; nil if none do.
    func roomIsAwaited(for slot: Slot) -> UInt64? {
        loadTable[slot].isCaching ? nil : roomQueue.since(of: loadTable[slot].charge.account)
    }

    @inline(__always)
    mutating func occupy(_ count: UInt64, for slot: Slot, _ context: inout BrokerContext) {
        guard !loadTable[slot].isCaching else { return }
        context.accounting.transfer(count, to: loadTable[slot].charge.account)
    }

    @inline(__always)
    mutating func giveBack(_ count: UInt64, of slot: Slot, _ context: inout BrokerContext) {
        guard count > 0, !loadTable[slot].isCaching else { return }
        context.accounting.transferred(count, to: loadTable[slot].charge.account)
        if !roomQueue.isEmpty { hasFreedRoom = true }
    }

    /// Lets a load wait if it stands still although its destination allows more bytes.
    @inline(never)
    mutating func waitForRoomIfNeeded(_ slot: Slot, _ context: inout BrokerContext) {
        guard !loadTable[slot].waitsForRoom, loadTable[slot].needsRoom else { return }
        loadTable[slot].waitsForRoom = true
        loadTable[slot].byteAt = context.now
        roomQueue.append(loadTable.id(of: slot), of: loadTable[slot].charge.account, at: context.now)
        context.check(in: max(1, context.limits.progress / 10))
    }

    /// Grants bytes to loads that wait for room, as far as their processes have some.
    mutating func grantWaiting(_ context: inout BrokerContext) {
        hasFreedRoom = false
        context.cost += roomQueue.lineCount / Cost.walkedLoads
        var line = 0
        while let (account, id) = roomQueue.first(of: line) {
            let room = context.accounting.transferRoom(for: account)
            let slot = loadTable.find(id)
            let isWaiting = slot.map { loadTable[$0].isWaitingForRoom } ?? false
            guard !isWaiting || room >= CreditWindow.smallest else {
                line += 1
                continue
            }
            context.cost += 1
            roomQueue.removeFirst(of: line)
            guard let slot else { continue }
            // Also of a load that needs no room any more: it may need some later.
            loadTable[slot].waitsForRoom = false
            if isWaiting { grant(slot, within: room, &context) }
        }
        // The room of a process also depends on the others.
        if !roomQueue.isEmpty { context.check(in: max(1, context.limits.progress / 10)) }
    }

    /// Removes loads that have ended from the queue for room once they are the majority, so that loads that are
    /// cancelled at once do not make it grow.
    mutating func compactRoomQueue() {
        guard roomQueue.count > 2 * loadTable.count + 64 else { return }
        var queue = RoomQueue()
        swap(&queue, &roomQueue)
        queue.removeAll { !loadTable.holds($0) }
        roomQueue = queue
    }
}
