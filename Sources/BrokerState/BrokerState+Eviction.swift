import PasteboardWire

// Eviction: contents of processes that have ended stay until they are replaced or cleared, or until another process
// needs the room.
extension BrokerState {
    /// Makes room for new contents. Contents of a write that is never committed evict nothing.
    @inline(__always)
    mutating func makeRoom() {
        if world.contents.hasNewContents { _ = evict() }
    }

    /// Makes room for contents that a peer has committed.
    ///
    /// - Returns: the boards that were cleared for them, of those whose contents existed for the peer.
    mutating func makeRoom(for access: AccessContext) -> [String] {
        evict().filter { $0.isVisible(to: access) }.map(\.board)
    }

    /// Throws if the write would clear boards of others when it is committed.
    ///
    /// - Parameter name: the board whose contents it replaces, or nil if it adds to contents.
    mutating func checkEvictsNothing(_ id: WriteID, to name: String?) throws(Failure) {
        guard world.contents.evictsNothing(id), let account = world.contents.account(of: id) else { return }
        let replaced = name.flatMap { boards.publication(on: $0) }.flatMap { world.contents.find($0) }
        let takesBoard = name.map { $0 != BoardName.general && replaced == nil && !boards.isCreated($0) } ?? false
        if takesBoard { world.context.accounting.acquire(of: .boards, for: account) }
        defer { if takesBoard { world.context.accounting.release(of: .boards, for: account) } }
        guard !world.context.accounting.excess().isNone else { return }
        var pending = world.contents.pendingKept(except: id)
        // The replaced contents leave their room to the new ones.
        if let replaced { world.contents.addReleased(by: replaced, to: &pending) }
        world.context.cost += world.contents.keptCount / Cost.walkedBoards
        guard world.context.accounting.excess(withoutPending: pending).isNone else {
            let text =
                "there is no room unless contents of ended programs are cleared, which this write forbids; clear a "
                + "pasteboard, raise a limit, or allow the broker to clear contents"
            throw Failure(.noSpace, text)
        }
    }

    /// Clears boards of ended processes until the limits hold again: first those without kept bytes, whose promises are
    /// gone, then those of the process that ended first, and the general board after all others.
    @inline(never)
    private mutating func evict() -> [Eviction] {
        var evictions: [Eviction] = []
        world.contents.hasNewContents = false
        guard !world.context.accounting.excess().isNone else { return evictions }
        let pending = world.contents.pendingKept()
        guard !world.context.accounting.excess(withoutPending: pending).isNone else { return evictions }
        world.context.cost += boards.count
        for candidate in candidates() {
            let excess = world.context.accounting.excess(withoutPending: pending)
            guard !excess.isNone, let slot = world.contents.find(candidate.publication) else { break }
            // The board of a client that is connected stays, so clearing it makes no room for another board.
            let isBoardFreed = excess.boards && !boards.isCreated(candidate.board)
            guard isBoardFreed || excess.held || candidate.isKept else { continue }
            let eviction = Eviction(of: candidate.board, world.contents[slot])
            world.context.perform(.logEviction(eviction))
            evictions.append(eviction)
            set(candidate.board, to: nil, reason: .cleared)
            boards.record(eviction, at: world.context.elapsed)
        }
        return evictions
    }

    /// A board whose contents may be evicted.
    private struct Candidate {
        let board: String
        let publication: PublicationID
        let changeCount: UInt64
        /// Whether some of its bytes are kept.
        let isKept: Bool
        /// The place of its process in the order in which processes have ended.
        let end: UInt64

        func precedes(_ other: Candidate) -> Bool {
            let isGeneral = board == BoardName.general
            guard isGeneral == (other.board == BoardName.general) else { return !isGeneral }
            guard isKept == other.isKept else { return !isKept }
            return (end, changeCount) < (other.end, other.changeCount)
        }
    }

    private func candidates() -> [Candidate] {
        var candidates: [Candidate] = []
        for name in boards.full {
            guard let id = boards.publication(on: name), let slot = world.contents.find(id),
                let end = world.context.accounting.endOrder(ofEvictable: world.contents[slot].charge.account)
            else { continue }
            let (count, isKept) = (boards.changeCount(of: name), !world.contents[slot].keptBytes.isEmpty)
            let candidate = Candidate(board: name, publication: id, changeCount: count, isKept: isKept, end: end)
            candidates.append(candidate)
        }
        return candidates.sorted { $0.precedes($1) }
    }
}

/// A pasteboard that was cleared because another process needs the room, as the log shows it.
package struct Eviction: Sendable, Equatable {
    package let board: String
    /// The ended process that had written the contents, by its process id.
    package let process: UInt32
    private let owner: String
    private let seeingLinks: SeeingLinks

    init(of board: String, _ publication: borrowing Publication) {
        self.board = board
        process = publication.ownerProcess.pid
        owner = publication.ownerName
        seeingLinks = publication.terms?.seeingLinks ?? .all
    }

    /// Whether the contents existed for a peer.
    func isVisible(to access: AccessContext) -> Bool { !access.isLink || seeingLinks.include(access) }

    /// One line without control characters.
    package var text: String {
        "cleared pasteboard \(board), whose writer \(owner) has ended: another program needs the room".printable
    }
}
