import PasteboardWire

/// The named pasteboards: the publication that each holds, and its change count.
struct Boards: ~Copyable, Sendable {
    /// A name that is remembered: the board has contents, its change count must not decrease, or somebody needs it.
    struct Board {
        var changeCount: UInt64
        /// The lifetime of the broker in which the contents got their change count, if they have come back from an
        /// earlier one; nil: this lifetime.
        var epoch: UInt64?
        var publication: PublicationID?
        /// The client that has created the board and keeps it.
        var creator: BoardCreator?
        /// Whether the board is watched. Then it is not forgotten, because its change count would grow without a
        /// change.
        var isWatched = false
        /// Whether the board exists: it was written, cleared or created, and was not removed. A watch alone does not
        /// make a board exist.
        var exists = false
        /// The total change count at its last change.
        var totalChangeCount: UInt64 = 0
        /// The links for which contents of it have existed, so that its name is no secret to them.
        var knownTo = SeeingLinks.none
        /// The origin of its contents, or of the clear that has emptied it; nil if it is empty for another reason.
        var origin: BoardOrigin?
    }

    struct Change {
        let changeCount: UInt64
        /// The publication that the board held before.
        let replaced: PublicationID?
        /// Whether contents of the board are charged as a board. They are not on the general board, and on a board
        /// whose creator is charged for it.
        let isCharged: Bool
    }

    /// The number of empty boards whose change counts are remembered, so that clearing one board does not make another
    /// look changed.
    private static let rememberedBoards = 64
    /// The number of further empty boards that are forgotten together, because that takes a look at all boards.
    private static let forgottenTogether = 32

    private var boardTable: [String: Board] = [:]
    /// The contents of the board that most loads use, because they name none.
    private(set) var general: PublicationID?
    /// The named board that a plain load was last found on, so that most loads need not hash its name.
    private var latest: (name: [UInt8], publication: PublicationID)?
    /// The change count of a board that nobody has changed. It grows past the count of every board that is forgotten,
    /// so that no name's count ever decreases.
    private var firstChangeCount: UInt64
    /// The number of the last change of any board, of its contents or their version. Like change counts, it also grows
    /// from one lifetime of the broker to the next.
    private(set) var totalChangeCount: UInt64
    /// The total change count at the start. The changes of this lifetime have greater ones.
    private(set) var firstTotalChangeCount: UInt64
    /// The number of boards that are remembered only because they are watched. The limit does not apply to them.
    private var exempt = 0
    /// The number of boards that may be forgotten.
    private var forgettable = 0
    private(set) var createdCount = 0
    /// The names of the boards that were changed in this lifetime and forgotten.
    private var forgotten = ForgottenNames()
    /// The boards that were cleared last to make room for others and not changed since, and when, in milliseconds of
    /// the time with sleep. Empty boards may be forgotten, so this is stored apart from them.
    private var evictions: [(eviction: Eviction, time: UInt64)] = []
    /// The greatest number of evictions that are remembered.
    private static let rememberedEvictions = 64
    /// The number of names that were made for boards.
    private var names: UInt64 = 0

    /// The latest moment of a write or clear of any board, here or at a linked broker.
    private(set) var lastMoment: UInt64 = 0

    /// Names this lifetime of the broker.
    let epoch: UInt64

    init(firstChangeCount: UInt64, epoch: UInt64 = 0) {
        self.firstChangeCount = firstChangeCount
        totalChangeCount = firstChangeCount
        firstTotalChangeCount = firstChangeCount
        self.epoch = epoch
    }

    /// The number of boards that the limit applies to. The general board always has a place.
    var count: Int { boardTable.count - exempt - (boardTable[BoardName.general] == nil ? 0 : 1) }

    /// The number of boards that a clear examines.
    var rememberedCount: Int { boardTable.count }

    func changeCount(of name: String) -> UInt64 {
        boardTable[name]?.changeCount ?? firstChangeCount
    }

    func count(of name: String) -> BoardCount {
        BoardCount(changeCount: changeCount(of: name), epoch: boardTable[name]?.epoch ?? epoch)
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

    /// The names of the boards that have contents or were created, sorted.
    var listed: [String] {
        boardTable.filter { $1.publication != nil || $1.creator != nil }.keys.sorted()
    }

    /// The boards that have changed after a total change count, as far as they are remembered, in any order.
    func changed(after total: UInt64) -> [(name: String, total: UInt64, knownTo: SeeingLinks)] {
        boardTable.compactMap { name, board in
            board.totalChangeCount > total ? (name, board.totalChangeCount, board.knownTo) : nil
        }
    }

    func totalChangeCount(of name: String) -> UInt64 { boardTable[name]?.totalChangeCount ?? 0 }

    func origin(of name: String) -> BoardOrigin? { boardTable[name]?.origin }

    func linksKnowing(_ name: String) -> SeeingLinks { boardTable[name]?.knownTo ?? .none }

    mutating func mark(_ name: String, knownTo links: SeeingLinks) {
        if links > linksKnowing(name) { boardTable[name]?.knownTo = links }
    }

    /// Whether a clear of the board changes something.
    func exists(_ name: String) -> Bool {
        boardTable[name]?.exists ?? false
    }

    func creator(of name: String) -> BoardCreator? { boardTable[name]?.creator }

    func isCreated(_ name: String) -> Bool { creator(of: name) != nil }

    // MARK: Rules

    /// Throws if a request requires a change count that the board does not have.
    func check(_ condition: BoardCondition?, on name: String) throws(Failure) {
        guard let condition else { return }
        let current = count(of: name)
        guard current.changeCount == condition.changeCount else {
            throw Failure(
                .superseded,
                "pasteboard \(name) is at change count \(current.changeCount), not \(condition.changeCount); "
                    + (exists(name) ? "it was changed in the meantime" : "earlier contents have not come back")
            )
        }
        guard condition.epoch.map({ $0 == current.epoch }) ?? true else {
            throw Failure(
                .superseded,
                "the change count of pasteboard \(name) is of another lifetime of the broker; the contents were replaced"
            )
        }
    }

    /// Throws unless contents can come back on a board under a change count that they had: either the board still has
    /// this count, or it has not existed in this lifetime of the broker, or it has contents that were saved before
    /// them.
    ///
    /// The other cases require a count that is lower than that of every board which has changed here: the counts after
    /// it are higher then, and no client can move a board's count up to the greatest number.
    ///
    /// - Returns: the contents that the board has under this count. The caller checks who has written them.
    func checkReclaim(of count: BoardCount, on name: String) throws(Failure) -> PublicationID? {
        guard exists(name) else {
            // A board that was forgotten may have had later contents.
            guard count.epoch != epoch, count.changeCount < firstChangeCount, !forgotten.mayContain(name) else {
                throw Failure(.superseded, "pasteboard \(name) had no contents at change count \(count.changeCount)")
            }
            return nil
        }
        let current = self.count(of: name)
        if current.epoch == count.epoch, count.epoch != epoch, current.changeCount < count.changeCount,
            count.changeCount < firstChangeCount
        {
            return nil
        }
        guard current == count, let publication = publication(on: name) else {
            throw Failure(.superseded, "pasteboard \(name) was changed since change count \(count.changeCount)")
        }
        return publication
    }

    /// Throws if there is no room for contents of an account on a board.
    mutating func checkRoom(
        for name: String,
        of account: Accounting.AccountID,
        _ context: borrowing BrokerContext
    ) throws(Failure) {
        guard name != BoardName.general else { return }
        let limit = context.limits.boards
        if boardTable[name].map({ $0.isExempt(name) }) ?? true, UInt64(count) >= limit {
            forgetEmptyBoards(keeping: 0, limit: limit)
            // Boards of ended processes are cleared for this one.
            guard UInt64(count) < limit.addingClamped(context.accounting.evictable(of: .boards)) else {
                throw Failure(
                    .limitExceeded,
                    "limit boards=\(limit) is reached: that many named pasteboards have contents; clear one or raise it"
                )
            }
        }
        // Nobody is charged for an empty board, unless it was created. Contents that replace others, or that are on a
        // created board, use no further board.
        guard boardTable[name]?.publication == nil, boardTable[name]?.creator == nil,
            context.accounting.room(for: account, of: .boards) == 0
        else { return }
        throw Failure(
            .limitExceeded,
            "this program has contents on \(context.accounting.held(by: account, of: .boards)) named pasteboards, and its "
                + "share of limit boards=\(limit) allows no more; clear a pasteboard, or raise the limit"
        )
    }

    // MARK: Watched and created boards

    /// Remembers a board as long as it is watched.
    mutating func setWatched(_ isWatched: Bool, _ name: String, _ context: borrowing BrokerContext) {
        var board = boardTable[name] ?? Board(changeCount: firstChangeCount)
        board.isWatched = isWatched
        let isNeeded = isWatched || board.exists
        // A board that does not exist can be forgotten: its count is at most `firstChangeCount`, which it gets again.
        store(isNeeded ? board : nil, name)
        if !isWatched { forgetEmptyBoards(keeping: Self.rememberedBoards, limit: context.limits.boards) }
    }

    /// A name that no other board has. It is made of the epoch and a counter, so that no other name of this lifetime of
    /// the broker is equal, and mixed, so that it does not show how many there are.
    mutating func unusedName(_ epoch: UInt64) -> String {
        while true {
            names &+= 1
            let digits = String((epoch &+ names &* 0x9E37_79B9_7F4A_7C15).mixed, radix: 16)
            let name = "unique-" + String(repeating: "0", count: 16 - digits.utf8.count) + digits
            if boardTable[name] == nil { return name }
        }
    }

    /// Creates an empty board, whose name no other board has.
    mutating func create(_ name: String, by creator: BoardCreator) {
        createdCount += 1
        store(Board(changeCount: firstChangeCount, creator: creator, exists: true), name)
    }

    /// Removes a board without contents. Its name is free; later change counts of the name are higher.
    ///
    /// - Returns: the client that created the board.
    mutating func remove(_ name: String) -> BoardCreator? {
        guard let board = boardTable[name] else { return nil }
        firstChangeCount = max(firstChangeCount, board.changeCount)
        if board.creator != nil { createdCount -= 1 }
        store(board.isWatched ? Board(changeCount: board.changeCount, isWatched: true) : nil, name)
        return board.creator
    }

    // MARK: Evictions

    mutating func record(_ eviction: Eviction, at time: UInt64) {
        evictions.append((eviction, time))
        if evictions.count > Self.rememberedEvictions { evictions.removeFirst() }
    }

    /// The time since a board was cleared to make room for others, in milliseconds; nil if it has been changed since,
    /// or if its contents did not exist for the peer.
    func timeSinceEviction(from name: String, for access: AccessContext, at now: UInt64) -> UInt64? {
        let last = evictions.last { $0.eviction.board == name && $0.eviction.isVisible(to: access) }
        return last.map { now - min($0.time, now) }
    }

    // MARK: Changes

    /// Sets the contents of a board; nil removes them.
    mutating func set(
        _ name: String,
        to publication: PublicationID?,
        origin: BoardOrigin? = nil,
        _ context: borrowing BrokerContext
    ) -> Change {
        let board = boardTable[name]
        // While the board shows the count of another lifetime, its own counts are at most that of an unknown board.
        let last = board?.epoch == nil ? board?.changeCount ?? firstChangeCount : firstChangeCount
        let count = BoardCount(changeCount: last.addingClamped(1), epoch: epoch)
        let change = put(publication, on: name, as: count, origin: origin)
        if publication == nil { forgetEmptyBoards(keeping: Self.rememberedBoards, limit: context.limits.boards) }
        return change
    }

    /// Sets the contents of a board that come back under a change count that they had.
    ///
    /// - Parameter total: the total change count that they had, before any peer connects; nil if they come back later.
    mutating func restore(
        _ name: String,
        to publication: PublicationID,
        as count: BoardCount,
        total: UInt64? = nil,
        origin: BoardOrigin? = nil
    ) -> Change {
        put(publication, on: name, as: count, total: total, origin: origin)
    }

    /// Raises the first change counts of this lifetime above a count of an earlier lifetime.
    mutating func raiseFirstChangeCount(above changeCount: UInt64) {
        firstChangeCount = max(firstChangeCount, changeCount.addingClamped(1))
        totalChangeCount = max(totalChangeCount, firstChangeCount)
        firstTotalChangeCount = totalChangeCount
    }

    /// Counts a change of a board that leaves its change count.
    mutating func countVersion(of name: String) {
        totalChangeCount = totalChangeCount.addingClamped(1)
        boardTable[name]?.totalChangeCount = totalChangeCount
    }

    private mutating func put(
        _ publication: PublicationID?,
        on name: String,
        as count: BoardCount,
        total: UInt64? = nil,
        origin: BoardOrigin?
    ) -> Change {
        var board = boardTable[name] ?? Board(changeCount: count.changeCount)
        let replaced = board.publication
        if total == nil { totalChangeCount = totalChangeCount.addingClamped(1) }
        board.totalChangeCount = total ?? totalChangeCount
        board.changeCount = count.changeCount
        board.epoch = count.epoch == epoch ? nil : count.epoch
        board.publication = publication
        board.origin = origin
        if let origin { lastMoment = max(lastMoment, origin.moment) }
        board.exists = true
        store(board, name)
        latest = nil
        if !evictions.isEmpty { evictions.removeAll { $0.eviction.board == name } }
        if name == BoardName.general { general = publication }
        let isCharged = name != BoardName.general && board.creator == nil
        return Change(changeCount: count.changeCount, replaced: replaced, isCharged: isCharged)
    }

    /// Stores a board; nil removes it from the table.
    private mutating func store(_ board: Board?, _ name: String) {
        let before: Board?
        if let board {
            if board.isExempt(name) { exempt += 1 }
            if board.isForgettable { forgettable += 1 }
            before = boardTable.updateValue(board, forKey: name)
        } else {
            before = boardTable.removeValue(forKey: name)
        }
        guard let before else { return }
        if before.isExempt(name) { exempt -= 1 }
        if before.isForgettable { forgettable -= 1 }
    }

    /// Forgets empty boards until at most `count` of them are left, and no more boards in all than the limit.
    ///
    /// Every unknown board has the first change count, which rises here so that no board gets a count again that it had
    /// before. The lowest counts are forgotten first, because they raise the others least.
    private mutating func forgetEmptyBoards(keeping count: Int, limit: UInt64) {
        let room = Int(clamping: limit) - (boardTable.count - exempt - forgettable)
        let most = min(count + Self.forgottenTogether, room)
        guard forgettable > 0, count == 0 || forgettable > most else { return }
        let count = max(0, min(count, room))
        let empty = boardTable.filter { $0.value.isForgettable }
        // By name too: which of two boards with one count is forgotten must not depend on the hash seed.
        let lowest = empty.sorted { ($0.value.changeCount, $0.key) < ($1.value.changeCount, $1.key) }
            .prefix(empty.count - count)
        for (name, board) in lowest {
            firstChangeCount = max(firstChangeCount, board.changeCount)
            store(nil, name)
            forgotten.insert(name)
        }
    }
}

/// A set of names of fixed size. It also contains some names that were not inserted: about one of 650 after a hundred.
private struct ForgottenNames: Sendable {
    private static let bits = 1 << 16

    /// Empty before the first name.
    private var words: [UInt64] = []

    private static func bit(of name: String) -> Int {
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return Int(truncatingIfNeeded: hash.mixed & UInt64(bits - 1))
    }

    mutating func insert(_ name: String) {
        if words.isEmpty { words = Array(repeating: 0, count: Self.bits / UInt64.bitWidth) }
        let bit = Self.bit(of: name)
        words[bit / UInt64.bitWidth] |= 1 << UInt64(bit % UInt64.bitWidth)
    }

    func mayContain(_ name: String) -> Bool {
        guard !words.isEmpty else { return false }
        let bit = Self.bit(of: name)
        return words[bit / UInt64.bitWidth] & 1 << UInt64(bit % UInt64.bitWidth) != 0
    }
}

/// The client that has created a board: the stream that keeps the board, and the charge for it.
struct BoardCreator: Sendable {
    let peer: PeerID
    let stream: UInt64
    let charge: Charge
}

extension Boards.Board {
    /// Whether the board is remembered only because it is watched.
    fileprivate func isExempt(_ name: String) -> Bool {
        isWatched && publication == nil && creator == nil && name != BoardName.general
    }

    fileprivate var isForgettable: Bool { publication == nil && creator == nil && !isWatched }
}

extension UInt64 {
    /// A number whose bits depend on all bits of this one; different ones for different numbers (SplitMix64).
    fileprivate var mixed: UInt64 {
        var value = self
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
