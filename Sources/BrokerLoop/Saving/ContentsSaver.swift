import BrokerState
import PasteboardTransport
import PasteboardWire

/// Saves contents with the service manager, whose next broker gets them: each kept representation and each description
/// of contents is a memory file with a name of its own.
///
/// A write is acknowledged when its messages are in the queue of the manager, which takes them even if the broker is
/// killed then. Its description is listed at the same moment (see `SavedIndex`), and the earlier description of the
/// board is removed afterwards. So a board has its earlier contents or its new ones, at each moment.
///
/// If the manager takes nothing for a while, it is *behind*: the descriptions are still listed, but peers do not wait.
struct ContentsSaver: ~Copyable {
    /// The time that a write waits for the manager. In milliseconds.
    static let patience: UInt64 = 2_000
    /// The time after which a message is sent again that the system refused. In milliseconds.
    private static let retryInterval: UInt64 = 50

    /// The reason why the next message was not sent.
    private enum Obstacle {
        case none
        /// The manager has no room. Its socket is writable when it has.
        case full
        case refused(retryAt: UInt64)
    }

    /// A description that the manager has or is being sent, and the files that it names.
    private struct Description {
        let number: UInt64
        var files: [UInt64] = []
    }

    private struct Entry {
        let board: String
        let place: Int
        let latest: Description
        /// The description that the index lists for the board; nil for none.
        var listed: Description?

        var isListed: Bool { listed?.number == latest.number }
    }

    let manager: ServiceManager
    /// Closes kept bytes that were not sent in time.
    private let closer: DescriptorCloser
    private var index: SavedIndex
    /// Whether the manager has the index, or is sent it.
    private var hasIndex: Bool
    /// Whether the contents, and the index, are another broker's now.
    private var isStopped = false
    /// The number in the latest name.
    private var latest: UInt64
    private var files = SavedFiles()
    private var entries: [PublicationID: Entry] = [:]
    /// The contents with an entry, by board.
    private var boards: [String: PublicationID] = [:]
    private var unsent = UnsentMessages()
    private var obstacle = Obstacle.none
    /// The time since which descriptors wait to be sent; nil if none do.
    private var waitingSince: UInt64?
    /// The number of times that contents were saved.
    private(set) var count: UInt64 = 0
    /// Whether the manager takes nothing at present, so that no peer waits for it.
    private(set) var isBehind = false
    /// Whether the manager does not exist any more.
    private(set) var isGone = false

    /// - Parameters:
    ///   - names: those that exist already. New ones are short, because all of them have to fit one variable.
    ///   - index: the list of the broker before; nil to begin one.
    init(
        _ manager: ServiceManager,
        after names: [String],
        index: SavedIndex?,
        closer: DescriptorCloser
    ) throws(SystemError) {
        self.manager = manager
        self.closer = closer
        latest = names.compactMap(Self.number).max() ?? 0
        hasIndex = index != nil
        if let index { self.index = index } else { self.index = try SavedIndex() }
    }

    // MARK: Names

    /// The first letters of the names of kept bytes and of descriptions.
    private static let kept = "k"
    private static let description = "p"

    /// The number in a name that a saver has made; nil for other names. Later names have greater numbers.
    static func number(_ name: String) -> UInt64? {
        name.hasPrefix(kept) || name.hasPrefix(description) ? UInt64(name.dropFirst(), radix: 36) : nil
    }

    static func isDescription(_ name: String) -> Bool { number(name) != nil && name.hasPrefix(description) }

    static func descriptionName(_ number: UInt64) -> String { name(description, number) }

    private static func name(_ sort: String, _ number: UInt64) -> String { sort + String(number, radix: 36) }

    // MARK: Contents

    /// Saves a description of contents, and those kept bytes of it that are not saved yet.
    ///
    /// If that fails, nothing is saved of the board any more: earlier contents must not come back in place of newer
    /// ones.
    ///
    /// - Parameter kept: the files of kept bytes; nil for those that are empty.
    mutating func save(
        _ id: PublicationID,
        _ contents: SavedContents,
        kept: [DescriptorBox?]
    ) throws(SystemError) {
        guard !isGone, !isStopped else { return }
        count += 1
        let earlier = boards.updateValue(id, forKey: contents.board).flatMap { entries.removeValue(forKey: $0) }
        let place = earlier?.place ?? index.takePlace()
        if let earlier, !earlier.isListed { drop(earlier.latest) }
        var description = Description(number: 0)
        do throws(SystemError) {
            description = try store(contents, kept, naming: &description.files, for: id)
        } catch {
            for number in description.files { release(number) }
            boards[contents.board] = nil
            index.clear(place)
            if let listed = earlier?.listed { drop(listed) }
            throw error
        }
        entries[id] = Entry(board: contents.board, place: place, latest: description, listed: earlier?.listed)
        if isBehind { list(id) }
    }

    private mutating func store(
        _ contents: SavedContents,
        _ kept: [DescriptorBox?],
        naming numbers: inout [UInt64],
        for id: PublicationID
    ) throws(SystemError) -> Description {
        var contents = contents
        for file in kept {
            guard let file else {
                contents.keptNames.append("")
                continue
            }
            let number = try files.use(file, number: latest + 1)
            numbers.append(number)
            contents.keptNames.append(Self.name(Self.kept, number))
            guard number > latest else { continue }
            latest = number
            unsent.store(file, as: Self.name(Self.kept, number))
        }
        contents.programVersion = ProgramVersion.current
        let bytes = contents.encoded
        let file = try MemoryFile()
        try file.append(bytes.span)
        try file.seal()
        latest += 1
        unsent.store(file.descriptor, as: Self.name(Self.description, latest), describing: id)
        return Description(number: latest, files: numbers)
    }

    /// Lists a description in place of what was listed for the board. It is sent, or will not be in time.
    private mutating func list(_ id: PublicationID) {
        guard let entry = entries[id], !entry.isListed else { return }
        do throws(SystemError) {
            try index.list(entry.latest.number, at: entry.place)
            entries[id]?.listed = entry.latest
            if let earlier = entry.listed { drop(earlier) }
        } catch {
            // There is no memory for another place. Only the first description of a place can meet that.
            remove(id)
        }
    }

    mutating func remove(_ id: PublicationID) {
        guard !isStopped, let entry = entries.removeValue(forKey: id) else { return }
        boards[entry.board] = nil
        index.clear(entry.place)
        drop(entry.latest)
        if let listed = entry.listed, !entry.isListed { drop(listed) }
    }

    /// Lets the manager close the descriptors of a description that is not listed any more.
    private mutating func drop(_ description: Description) {
        removeName(Self.name(Self.description, description.number))
        for number in description.files { release(number) }
    }

    private mutating func release(_ file: UInt64) {
        if files.release(file) { removeName(Self.name(Self.kept, file)) }
    }

    /// Lets the manager close the descriptor of that name.
    mutating func removeName(_ name: String) {
        guard !isGone else { return }
        if let descriptor = unsent.remove(name) { closer.release(descriptor) }
    }

    /// Records contents that an earlier broker has saved.
    ///
    /// - Parameters:
    ///   - place: their place in the index; nil if that broker had none.
    ///   - kept: the kept bytes that are not empty, by name.
    mutating func restored(
        _ id: PublicationID,
        of board: String,
        as name: String,
        at place: Int?,
        kept: [(name: String, file: DescriptorBox)]
    ) throws(SystemError) {
        var description = Description(number: Self.number(name) ?? 0)
        for (name, file) in kept {
            description.files.append(try files.use(file, number: Self.number(name) ?? 0))
        }
        let listed = place == nil ? nil : description
        boards[board] = id
        entries[id] = Entry(board: board, place: place ?? index.takePlace(), latest: description, listed: listed)
        list(id)
    }

    /// Lists nothing at a place whose contents could not be restored.
    mutating func clear(_ place: Int) {
        index.clear(place)
    }

    /// Leaves everything to the next broker, which is started when the last message has been sent.
    mutating func stop() {
        isStopped = true
    }

    // MARK: Messages

    /// Sends a state such as `STOPPING=1` after everything else.
    mutating func add(_ state: String) {
        guard !isGone else { return }
        unsent.add(state: state)
    }

    /// Whether the acknowledgements of what was saved have to wait.
    var isWaiting: Bool { waitingSince != nil && !isBehind }

    /// Whether to send again when the manager's socket is writable.
    var isFull: Bool {
        if case .full = obstacle { !unsent.isEmpty } else { false }
    }

    /// The time by which to send again, or to stop waiting; `max` if there is nothing to wait for.
    var deadline: UInt64 {
        var deadline = UInt64.max
        if isWaiting, let waitingSince { deadline = waitingSince.addingClamped(Self.patience) }
        if case .refused(let retryAt) = obstacle, !unsent.isEmpty { deadline = min(deadline, retryAt) }
        return deadline
    }

    /// Sends everything, and waits for room, but not longer than a write does. Only at the start, before there are
    /// peers.
    mutating func sendAll() {
        let deadline = MonotonicClock.deadline(milliseconds: Int(Self.patience))
        while !isGone, MonotonicClock.now() < deadline {
            obstacle = .none
            send(at: 0)
            guard !unsent.isEmpty else { return }
            let wait = min(Int(Self.retryInterval), Int(MonotonicClock.millisecondsLeft(until: deadline)))
            _ = try? System.poll([PollInterest(manager.raw, .writable)], milliseconds: wait)
        }
    }

    /// Sends what the manager has room for, and stops waiting if it has not had any for too long.
    mutating func send(at now: UInt64) {
        if !hasIndex {
            // After the contents that were restored from the disk: a broker that gets the index does not read them
            // there.
            unsent.store(index.file.descriptor, as: SavedIndex.name)
            hasIndex = true
        }
        guard !unsent.isEmpty, !isGone else { return }
        var retryAt: UInt64 = 0
        if case .refused(let time) = obstacle { retryAt = time }
        var obstacle = now < retryAt ? self.obstacle : .none
        var sent: [PublicationID] = []
        let manager = manager
        var isGone = false
        unsent.send(withStores: now >= retryAt, statesOvertake: isBehind) { text, descriptor in
            switch manager.send(text, descriptor.map { [$0.raw] } ?? []) {
            case .sent: return true
            case .full: obstacle = .full
            case .refused: obstacle = .refused(retryAt: now.addingClamped(Self.retryInterval))
            case .gone: isGone = true
            }
            return false
        } sent: {
            sent.append($0)
        }
        self.obstacle = obstacle
        for id in sent { list(id) }
        if isGone {
            self.isGone = true
            unsent = UnsentMessages()
        }
        guard unsent.hasStores else {
            (waitingSince, isBehind) = (nil, false)
            return
        }
        let since = waitingSince ?? now
        waitingSince = since
        guard !isBehind, now - min(now, since) >= Self.patience else { return }
        isBehind = true
        for id in Array(boards.values) { list(id) }
    }
}
