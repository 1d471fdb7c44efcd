import PasteboardWire

/// The named pasteboards: the publication that each holds, and its change count.
struct Boards: ~Copyable, Sendable {
    /// A name that is remembered: the board has contents, or its change count must not decrease.
    struct Board {
        var changeCount: UInt64
        var publication: PublicationID?
    }

    struct Change {
        let changeCount: UInt64
        /// The publication that the board held before.
        let replaced: PublicationID?
    }

    /// The number of empty boards whose change counts are remembered, so that clearing one board does not make another
    /// look changed.
    private static let rememberedBoards = 64

    private var boardTable: [String: Board] = [:]
    /// The contents of the board that most loads use, because they name none.
    private(set) var general: PublicationID?
    /// The named board that a plain load was last found on, so that most loads need not hash its name.
    private var latest: (name: [UInt8], publication: PublicationID)?
    /// The change count of a board that nobody has changed. It grows past the count of every board that is forgotten,
    /// so that no name's count ever decreases.
    private var firstChangeCount: UInt64

    init(firstChangeCount: UInt64) {
        self.firstChangeCount = firstChangeCount
    }

    /// The number of boards that the limit applies to. The general board always has a place.
    var count: Int { boardTable.count - (boardTable[BoardName.general] == nil ? 0 : 1) }

    func changeCount(of name: String) -> UInt64 {
        boardTable[name]?.changeCount ?? firstChangeCount
    }

    func publication(on name: String) -> PublicationID? {
        boardTable[name]?.publication
    }

    /// The contents of a board for a plain load.
    ///
    /// - Parameter name: bytes that may not be a valid name. Then no board has it.
    mutating func publication(on name: Span<UInt8>) -> PublicationID? {
        if let latest, latest.name.span.hasSameBytes(as: name) { return latest.publication }
        // A longer name may still be equal to a stored one, if it consists of other scalars for the same characters.
        guard name.count <= WireLimits.name, let text = try? UTF8Span(validating: name),
            let publication = boardTable[String(copying: text)]?.publication
        else { return nil }
        var bytes: [UInt8] = []
        for index in name.indices { bytes.append(name[index]) }
        latest = (bytes, publication)
        return publication
    }

    /// The names of the boards that have contents, sorted.
    var full: [String] {
        boardTable.compactMap { name, board in board.publication.map { _ in name } }.sorted()
    }

    // MARK: Rules

    /// Throws if a request requires a change count that the board does not have.
    func check(_ condition: UInt64?, on name: String) throws(Failure) {
        guard let condition else { return }
        let current = changeCount(of: name)
        guard current == condition else {
            throw Failure(
                .superseded,
                "pasteboard \(name) is at change count \(current), not \(condition); it was changed in the meantime"
            )
        }
    }

    /// Throws if there is no room for contents of an account on a board.
    mutating func checkRoom(
        for name: String,
        of account: Accounting.AccountID,
        _ context: borrowing BrokerContext
    ) throws(Failure) {
        guard name != BoardName.general else { return }
        let limit = context.limits.boards
        if boardTable[name] == nil, UInt64(count) >= limit {
            forgetEmptyBoards(keeping: 0, limit: limit)
            // Boards of ended processes are cleared for this one.
            guard UInt64(count) < limit.addingClamped(context.accounting.evictable(of: .boards)) else {
                throw Failure(
                    .limitExceeded,
                    "limit boards=\(limit) is reached: that many named pasteboards have contents; clear one or raise it"
                )
            }
        }
        // Nobody is charged for an empty board, and contents that replace others use no further board.
        guard boardTable[name]?.publication == nil, context.accounting.room(for: account, of: .boards) == 0 else {
            return
        }
        throw Failure(
            .limitExceeded,
            "this program has contents on \(context.accounting.held(by: account, of: .boards)) named pasteboards, and its "
                + "share of limit boards=\(limit) allows no more; clear a pasteboard, or raise the limit"
        )
    }

    // MARK: Changes

    /// Sets the contents of a board; nil removes them.
    mutating func set(_ name: String, to publication: PublicationID?, _ context: borrowing BrokerContext) -> Change {
        let replaced = boardTable[name]?.publication
        let changeCount = changeCount(of: name).addingClamped(1)
        boardTable[name] = Board(changeCount: changeCount, publication: publication)
        latest = nil
        if name == BoardName.general { general = publication }
        if publication == nil { forgetEmptyBoards(keeping: Self.rememberedBoards, limit: context.limits.boards) }
        return Change(changeCount: changeCount, replaced: replaced)
    }

    /// Forgets empty boards until at most `count` of them are left, and no more boards in all than the limit.
    ///
    /// Every unknown board has the first change count, which rises here so that no board gets a count again that it had
    /// before. The lowest counts are forgotten first, because they raise the others least.
    private mutating func forgetEmptyBoards(keeping count: Int, limit: UInt64) {
        let empty = boardTable.filter { $0.value.publication == nil }
        let room = Int(clamping: limit) - (boardTable.count - empty.count)
        let count = max(0, min(count, room))
        guard empty.count > count else { return }
        // By name too: which of two boards with one count is forgotten must not depend on the hash seed.
        let lowest = empty.sorted { ($0.value.changeCount, $0.key) < ($1.value.changeCount, $1.key) }
            .prefix(empty.count - count)
        for (name, board) in lowest {
            firstChangeCount = max(firstChangeCount, board.changeCount)
            boardTable[name] = nil
        }
    }
}
