import BrokerState
import PasteboardTransport
import PasteboardWire

/// Saves contents with the service manager, whose next broker gets them: each kept representation and each description
/// of contents is a memory file with a name of its own.
///
/// The messages arrive in order. So a description is sent after the bytes that it names, and the removal of contents
/// after those that replace them: a broker that dies between two messages leaves contents that are complete, perhaps
/// older ones beside them.
///
/// Messages are counted. A *receipt* covers all messages before it: the manager closes a descriptor when it has taken
/// them.
struct ContentsSaver: ~Copyable {
    /// The time that the manager has for a receipt. After that, peers do not wait for it. In milliseconds.
    static let patience: UInt64 = 2_000
    /// The time after which a message is sent again that the system refused. In milliseconds.
    private static let retryInterval: UInt64 = 50

    private struct Message {
        let text: String
        let descriptor: DescriptorBox?
    }

    /// The reason why the next message, or the request for a receipt, was not sent.
    private enum Obstacle {
        case none
        /// The manager has no room. Its socket is writable when it has.
        case full
        case refused(retryAt: UInt64)
    }

    let manager: ServiceManager
    /// The number in the latest name.
    private var latest: UInt64
    private var keptNames: [KeptID: String] = [:]
    private var descriptions: [PublicationID: String] = [:]
    private var unsent: [Message] = []
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
    init(_ manager: ServiceManager, after names: [String]) {
        self.manager = manager
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

    private mutating func newName(_ sort: String) -> String {
        latest &+= 1
        return sort + String(latest, radix: 36)
    }

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
            if keptNames[kept] == nil {
                let name = newName(Self.kept)
                keptNames[kept] = name
                add("FDSTORE=1\nFDNAME=\(name)", file)
            }
            contents.keptNames.append(keptNames[kept] ?? "")
        }
        contents.programVersion = ProgramVersion.current
        var bytes: [UInt8] = []
        contents.encode(into: &bytes)
        try description.append(bytes.span)
        try description.seal()
        let name = newName(Self.description)
        add("FDSTORE=1\nFDNAME=\(name)", description.descriptor)
        let earlier = descriptions.updateValue(name, forKey: id)
        if let earlier { removeName(earlier) }
    }

    /// Removes the description of contents. Their bytes follow when they are closed.
    mutating func remove(_ id: PublicationID) {
        if let name = descriptions.removeValue(forKey: id) { removeName(name) }
    }

    mutating func closed(_ kept: KeptID) {
        if let name = keptNames.removeValue(forKey: kept) { removeName(name) }
    }

    /// Notes the names of contents that an earlier broker has saved.
    mutating func restored(_ id: PublicationID, as name: String, kept: [(id: KeptID, name: String)]) {
        descriptions[id] = name
        for (id, name) in kept where !name.isEmpty { keptNames[id] = name }
    }

    mutating func removeName(_ name: String) {
        add("FDSTOREREMOVE=1\nFDNAME=\(name)")
    }

    // MARK: Messages

    mutating func add(_ text: String, _ descriptor: DescriptorBox? = nil) {
        guard !isGone else { return }
        count += 1
        unsent.append(Message(text: text, descriptor: descriptor))
    }

    /// Whether something has to be sent, or a receipt is awaited.
    private var isBusy: Bool { !unsent.isEmpty || taken < count }

    /// Whether messages wait that the manager may still take.
    var isSending: Bool { !unsent.isEmpty && waitingSince != nil }

    /// Whether to send again when the manager's socket is writable.
    var isFull: Bool {
        if case .full = obstacle { isBusy } else { false }
    }

    /// The time by which to send again, or to stop waiting; `max` if there is nothing to wait for.
    var deadline: UInt64 {
        var deadline = waitingSince.map { $0.addingClamped(Self.patience) } ?? .max
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
        for message in unsent {
            guard send(message.text, message.descriptor, at: now) else { break }
            sent += 1
        }
        unsent.removeFirst(min(sent, unsent.count))
        guard receipt == nil, unsent.isEmpty, taken < count, !isGone else { return nil }
        guard let pipe = try? System.pipe() else {
            obstacle = .refused(retryAt: now.addingClamped(Self.retryInterval))
            return nil
        }
        guard send("BARRIER=1", number: pipe.second.raw, at: now) else { return nil }
        let end = DescriptorBox(pipe.keepingFirst())
        receipt = (end, count)
        return end
    }

    private mutating func send(_ text: String, _ descriptor: DescriptorBox?, at now: UInt64) -> Bool {
        send(text, number: descriptor?.raw, at: now)
    }

    /// Returns whether the message was sent. Otherwise `obstacle` or `isGone` is set.
    private mutating func send(_ text: String, number: CInt?, at now: UInt64) -> Bool {
        switch manager.send(text, number.map { [$0] } ?? []) {
        case .sent: return true
        case .full: obstacle = .full
        case .refused: obstacle = .refused(retryAt: now.addingClamped(Self.retryInterval))
        case .gone:
            isGone = true
            unsent = []
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
        guard let waitingSince, now - min(now, waitingSince) >= Self.patience else { return false }
        stopWaiting()
        return true
    }

    private mutating func stopWaiting() {
        taken = count
        waitingSince = nil
    }
}
