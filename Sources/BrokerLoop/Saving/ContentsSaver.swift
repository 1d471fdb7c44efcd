import BrokerState
import PasteboardTransport
import PasteboardWire

/// Saves contents with the service manager, whose next broker gets them: each kept representation and each description
/// of contents is a memory file with a name of its own.
///
/// The messages arrive in order. So a description is sent after the bytes that it names, and removals after everything
/// that is new: a broker that dies between two messages leaves contents that are complete, perhaps older ones beside
/// them.
///
/// Messages are counted. A *receipt* covers all messages before it: the manager closes a descriptor when it has taken
/// them.
struct ContentsSaver: ~Copyable {
    /// The time that the manager has for a receipt. After that, peers do not wait for it. In milliseconds.
    static let receiptTimeout: UInt64 = 2_000
    /// The time after which a message is sent again that the system refused. In milliseconds.
    private static let retryInterval: UInt64 = 50

    /// The reason why the next message, or the request for a receipt, was not sent.
    private enum Obstacle {
        case none
        /// The manager has no room. Its socket is writable when it has.
        case full
        case refused(retryAt: UInt64)
    }

    let manager: ServiceManager
    /// Closes kept bytes that were not sent in time.
    private let closer: DescriptorCloser
    /// The number in the latest name.
    private var latest: UInt64
    /// The files of kept bytes.
    private var files = SavedFiles()
    /// The numbers in the names of descriptions, by slot; 0: not saved.
    private var descriptionNumbers: [UInt64] = []
    private var unsent = UnsentMessages()
    private var obstacle = Obstacle.none
    /// The descriptor that the manager closes, and the number of messages before it; nil if no receipt is awaited.
    private var receipt: (end: DescriptorBox, covers: UInt64)?
    /// Since when the manager has not taken all messages; nil if it has.
    private var waitingSince: UInt64?
    /// The number of messages so far.
    private(set) var count: UInt64 = 0
    /// The number of messages that the manager has certainly taken, or for which nobody waits any more.
    private(set) var taken: UInt64 = 0
    /// Whether the manager does not exist any more.
    private(set) var isGone = false

    /// - Parameter names: those that exist already. New ones are short, because all of them have to fit one variable.
    init(_ manager: ServiceManager, after names: [String], closer: DescriptorCloser) {
        self.manager = manager
        self.closer = closer
        latest = names.compactMap(Self.number).max() ?? 0
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

    private static func name(_ sort: String, _ number: UInt64) -> String { sort + String(number, radix: 36) }

    // MARK: Contents

    /// Saves a description of contents, and those kept bytes of it that are not saved yet.
    ///
    /// If that fails, an earlier description stays.
    ///
    /// - Parameter file: the file of kept bytes; nil if they are empty.
    mutating func save(
        _ id: PublicationID,
        _ contents: SavedContents,
        kept: [KeptID],
        file: (KeptID) -> DescriptorBox?
    ) throws(SystemError) {
        let description = try MemoryFile()
        var contents = contents
        for kept in kept {
            guard let file = file(kept) else {
                contents.keptNames.append("")
                continue
            }
            contents.keptNames.append(Self.name(Self.kept, try number(of: kept, in: file)))
        }
        contents.programVersion = ProgramVersion.current
        var bytes: [UInt8] = []
        contents.encode(into: &bytes)
        try description.append(bytes.span)
        try description.seal()
        latest &+= 1
        store(description.descriptor, as: Self.name(Self.description, latest))
        let earlier = descriptionNumbers.set(latest, for: id.slot)
        if earlier > 0 { remove(Self.name(Self.description, earlier)) }
    }

    /// Returns the number of the file of kept bytes. Sends the file first if the manager does not have it.
    private mutating func number(of kept: KeptID, in file: DescriptorBox) throws(SystemError) -> UInt64 {
        if let number = files.number(of: kept) { return number }
        let new = latest &+ 1
        // The manager would ignore the file under a new name as long as it has the earlier one.
        let number = try files.add(kept, in: file, number: new) { unsent.cancelRemoval(of: Self.name(Self.kept, $0)) }
        guard number == new else { return number }
        latest = new
        store(file, as: Self.name(Self.kept, new))
        return new
    }

    /// Removes the description of contents. Their bytes follow when they are closed.
    mutating func remove(_ id: PublicationID) {
        let number = descriptionNumbers.set(0, for: id.slot)
        if number > 0 { remove(Self.name(Self.description, number)) }
    }

    mutating func closed(_ kept: KeptID) {
        if let number = files.remove(kept) { remove(Self.name(Self.kept, number)) }
    }

    /// Notes the names of contents that an earlier broker has saved.
    ///
    /// - Parameter kept: the kept bytes that are not empty.
    mutating func restored(
        _ id: PublicationID,
        as name: String,
        kept: [(id: KeptID, name: String, file: DescriptorBox)]
    ) throws(SystemError) {
        descriptionNumbers.set(Self.number(name) ?? 0, for: id.slot)
        for (id, name, file) in kept { _ = try files.add(id, in: file, number: Self.number(name) ?? 0) }
    }

    // MARK: Messages

    /// Lets the manager keep a descriptor.
    mutating func store(_ descriptor: DescriptorBox, as name: String) {
        guard !isGone else { return }
        count += 1
        unsent.store(descriptor, as: name)
    }

    /// Lets the manager close the descriptor of that name.
    mutating func remove(_ name: String) {
        guard !isGone else { return }
        count += 1
        if let descriptor = unsent.remove(name) { closer.release(descriptor) }
    }

    /// Sends a state such as `STOPPING=1` after everything else.
    mutating func add(_ state: String) {
        guard !isGone else { return }
        count += 1
        unsent.add(state: state)
    }

    /// Whether something has to be sent, or a receipt is awaited.
    private var isBusy: Bool { unsent.count > 0 || taken < count }

    /// Whether messages wait that the manager may still take.
    var isSending: Bool { unsent.count > 0 && waitingSince != nil }

    /// Whether to send again when the manager's socket is writable.
    var isFull: Bool {
        if case .full = obstacle { isBusy } else { false }
    }

    /// The time by which to send again, or to stop waiting; `max` if there is nothing to wait for.
    var deadline: UInt64 {
        var deadline = waitingSince.map { $0.addingClamped(Self.receiptTimeout) } ?? .max
        if case .refused(let retryAt) = obstacle, isBusy { deadline = min(deadline, retryAt) }
        return deadline
    }

    /// Sends what the manager has room for, and then asks for a receipt.
    ///
    /// - Returns: the descriptor that is readable when the receipt has come, if a new one was asked for.
    mutating func send(at now: UInt64) -> DescriptorBox? {
        guard isBusy, !isGone else { return nil }
        if waitingSince == nil, taken < count { waitingSince = now }
        if case .refused(let retryAt) = obstacle, now < retryAt { return nil }
        obstacle = .none
        var sent = 0
        while sent < unsent.count, send(unsent[sent].text, unsent[sent].descriptor?.raw, at: now) { sent += 1 }
        unsent.removeFirst(sent)
        if unsent.count == 0 { files.removalsSent() }
        guard receipt == nil, unsent.count == 0, taken < count, !isGone else { return nil }
        guard let pipe = try? System.pipe() else {
            obstacle = .refused(retryAt: now.addingClamped(Self.retryInterval))
            return nil
        }
        guard send("BARRIER=1", pipe.second.raw, at: now) else { return nil }
        let end = DescriptorBox(pipe.keepingFirst())
        receipt = (end, count)
        return end
    }

    /// Returns whether the message was sent. Otherwise `obstacle` or `isGone` is set.
    private mutating func send(_ text: String, _ descriptor: CInt?, at now: UInt64) -> Bool {
        switch manager.send(text, descriptor.map { [$0] } ?? []) {
        case .sent: return true
        case .full: obstacle = .full
        case .refused: obstacle = .refused(retryAt: now.addingClamped(Self.retryInterval))
        case .gone:
            isGone = true
            unsent = UnsentMessages()
            receipt = nil
            stopWaiting()
        }
        return false
    }

    /// A receipt may have come.
    mutating func checkReceipt(at now: UInt64) {
        guard let (end, covers) = receipt,
            let readiness = try? System.poll([PollInterest(end.raw, .readable)], milliseconds: 0),
            readiness[0] != []
        else { return }
        forgetReceipt()
        taken = max(taken, covers)
        waitingSince = taken == count ? nil : now
    }

    /// A receipt cannot be watched. Another one is asked for.
    mutating func forgetReceipt() {
        receipt = nil
    }

    /// Whether a receipt that comes at this descriptor is awaited.
    func awaits(_ end: DescriptorBox) -> Bool { receipt?.end === end }

    /// Lets nobody wait any longer for what was sent so far, if the manager has taken too long.
    ///
    /// - Returns: whether it has.
    mutating func giveUpWaiting(at now: UInt64) -> Bool {
        guard let waitingSince, now - min(now, waitingSince) >= Self.receiptTimeout else { return false }
        stopWaiting()
        return true
    }

    private mutating func stopWaiting() {
        taken = count
        waitingSince = nil
    }
}

extension [UInt64] {
    /// Sets the number of a slot, and returns the earlier one; 0 if none was set.
    @discardableResult
    fileprivate mutating func set(_ number: UInt64, for slot: UInt32) -> UInt64 {
        while slot >= count { append(0) }
        defer { self[Int(slot)] = number }
        return self[Int(slot)]
    }
}
