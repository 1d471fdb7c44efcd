import BrokerState
import Glibc
package import PasteboardTransport
package import PasteboardWire

// Contents that outlive the broker. What depends on a change of the saved contents is held back until the service manager
// has it: after an acknowledgement, the bytes of a write survive a crash, and contents that were cleared do not
// come back.
extension BrokerLoop {
    /// Saves contents from now on, after restoring those that an earlier broker has saved.
    ///
    /// - Parameters:
    ///   - manager: the program that started the broker and watches it, and keeps contents if it has room for any.
    ///   - passed: the descriptors that the manager has passed.
    ///   - spool: the directory in which contents survive a restart of the machine, if they do.
    ///   - refusingOthers: whether contents in a format that this version does not support are an error. By default they are
    ///     logged and dropped.
    package mutating func beginSaving(
        with manager: ServiceManager?,
        restoring passed: [ServiceManager.Passed] = [],
        on spool: SpoolDirectory? = nil,
        boot: Boot? = nil,
        refusingOthers: Bool = false
    ) throws(Failure) {
        self.manager = manager
        // Without the manager, nobody knows which contents on disk were removed.
        var restored = Restored(isComplete: manager?.capacity ?? 0 > 0)
        // Restored contents need the current time for their age.
        let now = clock.now
        note { $0.setTime(now) }
        if passed.contains(where: { $0.name == SpoolDirectory.name }) { managerKnowsSpool = true }
        if passed.contains(where: { $0.name == SpoolDirectory.name || ContentsSaver.number($0.name) != nil }) {
            expectReclaims()
        }
        if let manager, manager.capacity > 0 {
            saver = ContentsSaver(manager, after: passed.map(\.name), closer: closer)
            restored = try restore(passed, refusingOthers: refusingOthers)
            isSaving = true
        }
        if let spool {
            do throws(SystemError) {
                try beginSpooling(in: spool, boot ?? .current(), restored)
            } catch {
                log("cannot keep contents on disk: \(error)")
            }
        }
        if managerKnowsSpool == nil, let directory = self.spool?.directory {
            // From now on, the next broker finds out from the manager what was removed.
            saver?.store(directory.descriptor, as: SpoolDirectory.name)
            managerKnowsSpool = saver != nil
        } else if self.spool?.directory.isInherited != true {
            forgetSpool()
        }
        noteSaving()
    }

    /// Notes that another broker has served before this one.
    package mutating func expectReclaims() {
        note { $0.expectReclaims() }
    }

    /// Informs the state whether saved contents have a destination.
    private mutating func noteSaving() {
        let saves = saver != nil || spool != nil
        note { $0.setSaving(saves) }
    }

    /// Lets the next broker restore what it finds on disk, because the manager may not have all contents.
    private mutating func forgetSpool() {
        if managerKnowsSpool == true { saver?.remove(SpoolDirectory.name) }
        managerKnowsSpool = false
    }

    // MARK: Restoring

    /// The contents that the manager had.
    private struct Restored {
        var contents: [PublicationID] = []
        /// Whether all of it could be restored.
        var isComplete: Bool
    }

    private mutating func restore(
        _ passed: [ServiceManager.Passed],
        refusingOthers: Bool
    ) throws(Failure) -> Restored {
        var restored = Restored(isComplete: true)
        guard passed.contains(where: { ContentsSaver.number($0.name) != nil }) else { return restored }
        var files: [String: DescriptorBox] = [:]
        for passed in passed { files[passed.name] = passed.descriptor }
        var saved: [(name: String, contents: SavedContents, order: (UInt64, UInt64))] = []
        for passed in passed where ContentsSaver.isDescription(passed.name) {
            do {
                guard let file = MemoryFile(sealed: passed.descriptor) else {
                    throw Failure(.invalidArgument, "their description is not a sealed memory file")
                }
                let contents = try SavedContents(decoding: try file.contents(limit: Self.descriptionLimit))
                let order = (contents.changeCount ?? 0, ContentsSaver.number(passed.name) ?? 0)
                saved.append((passed.name, contents, order))
            } catch {
                try throwIfTransient(error, refusingOthers: refusingOthers)
                log("cannot restore contents: \(error)")
                restored.isComplete = false
            }
        }
        // The newest first: of two contents of a board, the older ones were replaced.
        saved.sort { $0.order > $1.order }
        var boards: Set<String> = []
        var used: Set<String> = []
        for (name, contents, _) in saved where !boards.contains(contents.board) {
            do {
                let memory = try Self.memory(of: contents, files)
                let (publication, kept) = try restore(contents, memory)
                restored.contents.append(publication)
                used.formUnion(contents.keptNames + [name])
                boards.insert(contents.board)
                let named = zip(zip(kept, contents.keptNames), memory)
                try saver?.restored(
                    publication,
                    as: name,
                    kept: named.compactMap { pair, file in file.map { (pair.0, pair.1, $0.descriptor) } }
                )
            } catch {
                try throwIfTransient(error, refusingOthers: refusingOthers)
                log("cannot restore the contents of pasteboard \(contents.board.printable): \(error)")
                restored.isComplete = restored.isComplete && (error as? Failure)?.code == .nothingHere
            }
        }
        for passed in passed where ContentsSaver.number(passed.name) != nil && !used.contains(passed.name) {
            saver?.remove(passed.name)
        }
        return restored
    }

    /// Throws an error that another start, or another program, may not meet, so that nothing is lost.
    ///
    /// - Parameter refusingOthers: whether the broker is started again then. A service manager would soon give up.
    private func throwIfTransient(_ error: any Error, refusingOthers: Bool) throws(Failure) {
        guard refusingOthers else { return }
        if let failure = error as? Failure, failure.code == .versionMismatch { throw failure }
        if let error = error as? SystemError, error.errno != EFBIG {
            throw Failure(.brokerUnavailable, "cannot restore saved contents: \(error)")
        }
    }

    /// The greatest size of a description.
    private static let descriptionLimit = 64 << 20

    /// The memory of kept bytes, which the manager has passed by name; nil for those that are empty.
    ///
    /// - Throws: a `Failure` if something is missing, and a `SystemError` if the system refuses to seal a file now.
    private static func memory(
        of contents: SavedContents,
        _ files: [String: DescriptorBox]
    ) throws -> [MemoryFile?] {
        var memory: [MemoryFile?] = []
        for name in contents.keptNames {
            guard !name.isEmpty else {
                memory.append(nil)
                continue
            }
            guard let passed = files[name] else {
                throw Failure(.invalidArgument, "the bytes \(name) are missing")
            }
            guard let file = MemoryFile(sealing: passed) else {
                throw SystemError(call: "seal the bytes", errno: EBUSY, subject: name)
            }
            memory.append(file)
        }
        return memory
    }

    /// Restores contents entirely or not at all.
    ///
    /// - Parameter memory: their kept bytes in the order of the representations; nil for those that are empty.
    private mutating func restore(
        _ contents: SavedContents,
        _ memory: [MemoryFile?]
    ) throws(Failure) -> (publication: PublicationID, kept: [KeptID]) {
        let sizes = contents.items.flatMap { $0.representations.filter { $0.provision == .kept }.map(\.byteCount) }
        guard sizes == memory.map({ file in file.map { (try? $0.size) ?? .max } ?? 0 }) else {
            throw Failure(.invalidArgument, "their bytes are others than were saved")
        }
        let bootTime = MonotonicClock.bootMicroseconds() / 1_000
        let result = input { state in
            Result { () throws(Failure) in try state.restore(contents, at: bootTime) }
        }
        let (publication, kept) = try result.get()
        for (id, file) in zip(kept, memory) { self.memory.set(file, for: id) }
        return (publication, kept)
    }

    // MARK: The spool

    /// Restores the files whose contents the manager did not pass and has not removed, and writes the contents that have no
    /// file yet.
    ///
    /// - Parameter restored: the contents that the manager had.
    private mutating func beginSpooling(
        in directory: SpoolDirectory,
        _ boot: Boot,
        _ restored: Restored
    ) throws(SystemError) {
        let limits = state.context.limits
        var spool = try Spool(directory, limit: limits.keptOnDisk, boot: boot, closer: closer)
        let log = log
        let files = try spool.stored { log(Self.text($0, $1)) }
        try add(SpoolSource(spool.raw))
        var unspooled = restored.contents
        // Contents of an earlier boot, which have another change count now.
        var moved: [PublicationID] = []
        var room = limits.keptPool
        for file in files {
            if let known = unspooled.firstIndex(where: { holds($0, file.contents) }) {
                spool.adopt(file, for: unspooled.remove(at: known))
            } else if directory.isInherited, restored.isComplete, file.contents.format == SavedContents.format {
                spool.discard(file)
            } else {
                do throws(Failure) {
                    let size = SpoolFile.keptSizes(file.contents).reduce(UInt64(0)) { $0.addingClamped($1) }
                    guard size <= room else {
                        throw Failure(
                            .limitExceeded,
                            "its \(size) bytes do not fit into the rest of the limit kept-pool, \(room) bytes"
                        )
                    }
                    let (contents, kept) = try spool.contents(of: file)
                    let publication = try restore(contents, kept).publication
                    room -= size
                    spool.adopt(file, for: publication)
                    saveWithManager(publication)
                    if contents.changeCount == nil { moved.append(publication) }
                } catch {
                    switch error.code {
                    case .superseded, .nothingHere: spool.discard(file)
                    default:
                        log(Self.text(file.number, error))
                        spool.leave(file)
                    }
                }
            }
        }
        // The limit may have been lowered.
        spool.makeRoom()
        self.spool = consume spool
        // Both are in the order from new to old, and the files that are written first are removed first.
        for publication in (moved + unspooled).reversed() { saveOnDisk(publication) }
    }

    private static func text(_ number: UInt64, _ failure: Failure) -> String {
        "cannot restore the contents on disk in pasteboard/spool/\(number), which is not removed: \(failure.text)"
    }

    /// Whether the contents have the board, count, epoch and version of saved ones, and the same kept representations: the
    /// version stays the same when a cached load completes and its bytes become kept.
    private mutating func holds(_ id: PublicationID, _ saved: SavedContents) -> Bool {
        let (contents, _) = input({ $0.saved(id, at: 0) }) ?? (SavedContents(), [])
        func provisions(_ contents: SavedContents) -> [Provision?] {
            contents.items.flatMap { $0.representations.map(\.provision) }
        }
        return contents.board == saved.board && contents.changeCount == saved.changeCount
            && contents.epoch == saved.epoch && contents.version == saved.version
            && provisions(contents) == provisions(saved)
    }

    /// Starts the thread that writes to the disk, after `System.giveUpFiles`, which restricts the calling thread and those that
    /// start later.
    package mutating func startSpool() {
        do throws(SystemError) {
            try spool?.start()
        } catch {
            log("cannot keep contents on disk: \(error)")
            spool = nil
            noteSaving()
        }
    }

    /// Writes may have ended, or failed.
    fileprivate mutating func checkSpool() {
        guard let failures = spool?.failures() else { return }
        if failures.hasFailed { spoolRetry = clock.now.addingClamped(Self.spoolRetryInterval) }
        guard let error = failures.error else { return }
        log("cannot write contents to the disk, or remove them from it, for now: \(error)")
    }

    /// The delay before another attempt to write contents to the disk, in milliseconds.
    private static let spoolRetryInterval: UInt64 = 10_000

    /// Repeats what has failed on the disk.
    mutating func retrySpool() {
        spoolRetry = .max
        guard !isDraining else { return }
        for contents in spool?.retry() ?? [] { saveOnDisk(contents) }
    }

    // MARK: Saving

    mutating func save(_ id: PublicationID) {
        saveWithManager(id)
        saveOnDisk(id)
    }

    mutating func removeSaved(_ id: PublicationID) {
        saver?.remove(id)
        spool?.remove(id)
    }

    private mutating func saveWithManager(_ id: PublicationID) {
        guard saver != nil else { return }
        let bootTime = MonotonicClock.bootMicroseconds() / 1_000
        guard let (contents, kept) = input({ $0.saved(id, at: bootTime) }) else { return saver?.remove(id) ?? () }
        do throws(SystemError) {
            try saver?.save(id, contents, kept: kept) { memory.saved($0) }
        } catch {
            log(
                "cannot save the contents of pasteboard \(contents.board.printable) for a crash of this broker: \(error)"
            )
            forgetSpool()
        }
    }

    private mutating func saveOnDisk(_ id: PublicationID) {
        guard spool != nil else { return }
        let bootTime = MonotonicClock.bootMicroseconds() / 1_000
        guard let (contents, kept) = input({ $0.saved(id, at: bootTime) }) else { return spool?.remove(id) ?? () }
        if let reason = spool?.save(id, contents, kept: kept.map { memory.saved($0) }) {
            report(reason.printable, of: contents.ownerProcess ?? 0)
        }
    }

    /// Sends a state such as `STOPPING=1` to the manager, after the messages about contents.
    package mutating func notifyManager(_ state: String) {
        guard saver != nil else {
            _ = manager?.send(state)
            return
        }
        saver?.add(state)
        settleSaving()
    }

    /// Holds back the output of those to whom something was sent together with a change of the saved contents.
    mutating func hold(_ sends: [Outbox.Send], since before: UInt64) {
        guard let count = saver?.count, count > before else { return }
        for send in sends {
            // One that reads nothing has no output that could be continued, and its input is read to the end.
            guard let target = find(send.peer), !connections[target].isWriteClosed else { continue }
            connections[target].hold(until: count)
        }
    }

    /// Sends messages to the manager, asks for a receipt, and continues the output for which one has come.
    mutating func settleSaving() {
        if saver?.giveUpWaiting(at: clock.now) == true {
            log("the service manager does not answer: contents may not survive a crash of this broker")
            forgetSpool()
        }
        if let receipt = saver?.send(at: clock.now) {
            do throws(SystemError) {
                try add(ReceiptSource(receipt))
            } catch {
                saver?.forgetReceipt()
            }
        }
        if saver?.isFull == true, !isAwaitingRoom, let raw = saver?.manager.raw {
            isAwaitingRoom = (try? add(RoomSource(raw))) != nil
        }
        if saver?.isGone == true {
            saver = nil
            isSaving = false
            noteSaving()
            log("the service manager has ended: kept contents do not survive a crash of this broker any more")
        }
        releaseHeld()
    }

    private mutating func releaseHeld() {
        guard !held.isEmpty else { return }
        let taken = saver?.taken ?? .max
        var waiting: [PeerID] = []
        swap(&waiting, &held)
        for peer in waiting {
            guard let slot = find(peer) else { continue }
            if connections[slot].isHeld(taken: taken) { held.append(peer) } else { unflushed.append(peer) }
        }
    }
}

/// Readable when the service manager has taken all messages before a receipt.
private final class ReceiptSource: EventSource {
    private let end: DescriptorBox

    var descriptor: CInt { end.raw }

    init(_ end: DescriptorBox) {
        self.end = end
    }

    func ready(in loop: inout BrokerLoop) {
        let now = loop.clock.now
        loop.saver?.checkReceipt(at: now)
        if loop.saver?.awaits(end) != true { loop.remove(self) }
    }

    func draining(in loop: inout BrokerLoop) {}
}

/// Writable when the service manager has room for another message.
private final class RoomSource: EventSource {
    let descriptor: CInt
    var interest: Epoll.Interest { .writable }

    init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    func ready(in loop: inout BrokerLoop) {
        loop.remove(self)
        loop.isAwaitingRoom = false
    }

    func draining(in loop: inout BrokerLoop) {}
}

/// Readable when writes to the spool have ended or failed.
private final class SpoolSource: EventSource {
    let descriptor: CInt

    init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    func ready(in loop: inout BrokerLoop) {
        loop.checkSpool()
        guard loop.isDraining, loop.spool?.isBusy != true else { return }
        // A broker that starts now may have the directory.
        loop.remove(self)
        loop.spool = nil
    }

    func draining(in loop: inout BrokerLoop) {
        // Without the manager, the other broker would restore what is not removed yet.
        if loop.isTakeover, loop.managerKnowsSpool == true { loop.spool?.stop() } else { loop.spool?.finish() }
    }
}
