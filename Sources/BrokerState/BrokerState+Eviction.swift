import PasteboardWire

// Eviction: contents of processes that have ended stay until they are replaced or cleared, or until another process needs
// the room.
extension BrokerState {
    /// Makes room for new contents. Contents of a write that is never committed evict nothing.
    @inline(__always)
    mutating func makeRoom() {
        if contents.hasNewContents { evict() }
    }

    /// Clears boards of ended processes until the limits hold again: first those without kept bytes, whose promises are
    /// gone, then those of the process that ended first, and the general board after all others.
    @inline(never)
    private mutating func evict() {
        contents.hasNewContents = false
        guard !context.accounting.excess().isNone else { return }
        let pending = contents.pendingKept
        guard !context.accounting.excess(withoutPending: pending).isNone else { return }
        context.cost += boards.count
        for candidate in candidates() {
            let excess = context.accounting.excess(withoutPending: pending)
            guard !excess.isNone, let slot = contents.find(candidate.publication) else { return }
            // The board of a client that is connected stays, so clearing it makes no room for another board.
            let isBoardFreed = excess.boards && !boards.isCreated(candidate.board)
            guard isBoardFreed || excess.held || candidate.isKept else { continue }
            let owner = contents[slot].ownerName
            context.perform(.logEviction(Eviction(candidate.board, process: contents[slot].ownerProcess.pid, owner)))
            set(candidate.board, to: nil, reason: .cleared)
        }
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
            guard let publication = boards.publication(on: name), let slot = contents.find(publication),
                let end = context.accounting.end(ofEvictable: contents[slot].charge.account)
            else { continue }
            let isKept = !contents[slot].keptBytes.isEmpty
            candidates.append(
                Candidate(
                    board: name,
                    publication: publication,
                    changeCount: boards.changeCount(of: name),
                    isKept: isKept,
                    end: end
                )
            )
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

    init(_ board: String, process: UInt32, _ owner: String) {
        self.board = board
        self.process = process
        self.owner = owner
    }

    /// One line without control characters.
    package var text: String {
        "cleared pasteboard \(board), whose writer \(owner) has ended: another program needs the room".printable
    }
}
