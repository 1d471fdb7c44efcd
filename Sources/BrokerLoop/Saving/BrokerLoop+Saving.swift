import BrokerState
import Glibc
package import PasteboardTransport
package import PasteboardWire

// Contents that outlive the broker, by the rules of `SavingRules`.
extension BrokerLoop {
    /// Saves contents from now on, after restoring those that an earlier broker has saved.
    ///
    /// - Parameters:
    ///   - manager: the program that started the broker and watches it, and holds contents if it has room for any.
    ///   - passed: the descriptors that the manager has passed.
    ///   - refusingOthers: whether contents in a format that this version does not support are an error. By default
    ///     they are logged and dropped.
    package mutating func beginSaving(
        with manager: ServiceManager?,
        restoring passed: [ServiceManager.Passed] = [],
        refusingOthers: Bool = false
    ) throws(Failure) {
        saving.manager = manager
        // Restored contents need the current time for their age.
        let now = clock.now
        withState { $0.setTime(now) }
        saving.wasPassedAll = passed.contains { $0.name == SavedIndex.name }
        if passed.contains(where: { ContentsSaver.number($0.name) != nil }) { expectReclaims() }
        if let manager, manager.capacity > 0 {
            try restore(passed, with: manager, refusingOthers: refusingOthers)
            isSaving = true
        }
        updateSaving()
    }

    /// Records that another broker has served before this one.
    package mutating func expectReclaims() {
        withState { $0.expectReclaims() }
    }

    /// Informs the state whether saved contents have a destination.
    private mutating func updateSaving() {
        let (isSaving, isBehind) = (isSaving, saving.saver?.isBehind == true)
        withState { $0.setSaving(isSaving, isBehind: isBehind) }
    }

    // MARK: Restoring what the manager has

    private mutating func restore(
        _ passed: [ServiceManager.Passed],
        with manager: ServiceManager,
        refusingOthers: Bool
    ) throws(Failure) {
        var files: [String: DescriptorBox] = [:]
        for passed in passed { files[passed.name] = passed.descriptor }
        // Without an index, which an earlier version has not saved, everything is current.
        var places: [UInt64: Int]?
        do throws(SystemError) {
            let adopted = try files[SavedIndex.name].map(SavedIndex.adopted)
            places = adopted?.places
            saving.saver = try ContentsSaver(
                manager,
                after: passed.map(\.name),
                index: adopted?.index,
                closer: closer
            )
        } catch {
            throw Failure(.brokerUnavailable, "cannot save contents with the service manager: \(error)")
        }
        var saved: [(name: String, contents: SavedContents, order: (count: UInt64, number: UInt64))] = []
        for passed in passed where ContentsSaver.isDescription(passed.name) {
            let number = ContentsSaver.number(passed.name) ?? 0
            guard places.map({ $0[number] != nil }) ?? true else { continue }
            do {
                guard let file = MemoryFile(sealed: passed.descriptor) else {
                    throw Failure(.invalidArgument, "their description is not a sealed memory file")
                }
                let contents = try SavedContents(decoding: try file.contents(limit: SnapshotFile.descriptionLimit))
                saved.append((passed.name, contents, (contents.changeCount ?? 0, number)))
            } catch {
                try throwIfTransient(error, refusingOthers: refusingOthers)
                log("cannot restore contents: \(error)")
            }
        }
        // The newest first: of two contents of a board, the older ones were replaced.
        saved.sort { $0.order > $1.order }
        var boards: Set<String> = []
        var used: Set<String> = [SavedIndex.name]
        for (name, contents, order) in saved where !boards.contains(contents.board) {
            do {
                let memory = try Self.memory(of: contents, files)
                let publication = try restore(contents, memory)
                used.formUnion(contents.keptNames + [name])
                boards.insert(contents.board)
                let kept = zip(contents.keptNames, memory).compactMap { name, file in
                    file.map { (name, $0.descriptor) }
                }
                let place = places?.removeValue(forKey: order.number)
                try saving.saver?.restored(publication, of: contents.board, as: name, at: place, kept: kept)
            } catch {
                try throwIfTransient(error, refusingOthers: refusingOthers)
                log("cannot restore the contents of pasteboard \(contents.board.printable): \(error)")
            }
        }
        for name in files.keys where ContentsSaver.number(name) != nil && !used.contains(name) {
            saving.saver?.removeName(name)
        }
        // What is listed and was not restored.
        let missing = places?.keys.count { files[ContentsSaver.descriptionName($0)] == nil } ?? 0
        if missing > 0 {
            log("the contents of \(missing) pasteboards are lost, because the service manager had not taken them")
        }
        for place in places.map({ Array($0.values) }) ?? [] { saving.saver?.clear(place) }
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

    /// The memory of kept bytes, which the manager has passed by name; nil for those that are empty.
    ///
    /// - Throws: a `Failure` if something is missing, and a `SystemError` if the system refuses to seal a file now.
    private static func memory(of contents: SavedContents, _ files: [String: DescriptorBox]) throws -> [MemoryFile?] {
        try contents.keptNames.map { name in
            guard !name.isEmpty else { return nil }
            guard let passed = files[name] else {
                throw Failure(.invalidArgument, "the bytes \(name) are missing")
            }
            guard let file = MemoryFile(sealing: passed) else {
                throw SystemError(call: "seal the bytes", errno: EBUSY, subject: name)
            }
            return file
        }
    }

    /// Restores contents entirely or not at all.
    ///
    /// - Parameter memory: their kept bytes in the order of the representations; nil for those that are empty.
    private mutating func restore(_ contents: SavedContents, _ memory: [MemoryFile?]) throws(Failure) -> PublicationID {
        guard contents.keptSizes == memory.map({ file in file.map { (try? $0.size) ?? .max } ?? 0 }) else {
            throw Failure(.invalidArgument, "their bytes are others than were saved")
        }
        let bootTime = MonotonicClock.bootMicroseconds() / 1_000
        let result = input { state in
            Result { () throws(Failure) in try state.restore(contents, at: bootTime) }
        }
        let (publication, kept) = try result.get()
        for (id, file) in zip(kept, memory) { self.memory.set(file, for: id) }
        return publication
    }

    // MARK: The disk

    /// Leaves contents on the disk at the end. Those that are there are restored and given to the manager, if they are
    /// the newest that were saved, and removed from the disk.
    package mutating func beginSaving(on snapshot: Snapshot, boot: Boot = .current()) {
        saving.snapshot = snapshot
        let isNewest = SavingRules.source(hasPassedAll: saving.wasPassedAll) == .disk
        do throws(Failure) {
            let records = isNewest ? try snapshot.read(boot) : []
            var isRestored = true
            var room = state.world.context.limits.keptPool
            for record in records {
                do throws(Failure) {
                    let (contents, kept) = try record.get()
                    let size = contents.keptSizes.reduce(UInt64(0)) { $0.addingClamped($1) }
                    guard size <= room else {
                        let name = contents.board.printable
                        throw Failure(.limitExceeded, "the limit kept-pool has no room for those of pasteboard \(name)")
                    }
                    save(try restore(contents, kept))
                    room -= size
                } catch {
                    if error.code == .superseded || error.code == .nothingHere { continue }
                    log("cannot restore contents from \(snapshot.path): \(error.text)")
                    isRestored = false
                }
            }
            // Sent to the manager before it is removed: then one of both has it.
            saving.saver?.sendAll()
            try snapshot.discard(isRestored: isRestored)
            if !isRestored { log("\(snapshot.path).unread has the contents that were not restored") }
        } catch {
            log("cannot take the contents from \(snapshot.path): \(error.text)")
        }
    }

    /// Leaves what is kept on the disk, because the broker ends. Nothing else happens meanwhile, so it stays complete.
    mutating func leaveSnapshot() {
        var (records, kept, room): ([SnapshotFile.Record], Set<PublicationID>, UInt64) = ([], [], 0)
        var error: String?
        if let snapshot = saving.snapshot {
            // A time in which the manager does not wait for another message.
            _ = saving.manager?.send("EXTEND_TIMEOUT_USEC=\(Snapshot.longestEnd * 1_000)")
            let boot = Boot.current()
            room = snapshot.limit
            let now = MonotonicClock.bootMicroseconds() / 1_000
            for id in withState({ $0.writtenContents }) {
                guard let (saved, files) = withState({ $0.saved(id, at: now, in: .disk) }) else { continue }
                var contents = saved
                contents.programVersion = ProgramVersion.current
                (contents.bootID, contents.bootedAt) = (boot.id, boot.startedAt())
                let record = SnapshotFile.Record(contents, kept: files.map { memory.saved($0) })
                guard record.size <= room else {
                    log("the limit kept-on-disk has no room for pasteboard \(contents.board.printable): it is lost")
                    error = "the limit kept-on-disk, \(snapshot.limit) bytes, has no room for all of them"
                    continue
                }
                room -= record.size
                records.append(record)
                kept.insert(id)
            }
            if let failure = snapshot.write(records) {
                error = "\(snapshot.path): \(failure)"
                log("cannot leave contents on the disk: \(error ?? "")")
                kept = []
            }
        }
        input { $0.answerStops(kept: kept, error: error) }
    }

    // MARK: Saving

    mutating func save(_ id: PublicationID) {
        guard isSaving else { return }
        let bootTime = MonotonicClock.bootMicroseconds() / 1_000
        guard let (contents, kept) = input({ $0.saved(id, at: bootTime) }) else { return removeSaved(id) }
        do throws(SystemError) {
            try saving.saver?.save(id, contents, kept: kept.map { memory.saved($0) })
        } catch {
            log(
                "cannot save the contents of pasteboard \(contents.board.printable) for a crash of this broker: \(error)"
            )
            saving.hasFailed = true
        }
    }

    mutating func removeSaved(_ id: PublicationID) {
        saving.saver?.remove(id)
    }

    /// Sends a state such as `STOPPING=1` to the manager, after the messages about contents.
    package mutating func notifyManager(_ state: String) {
        guard isSaving else {
            _ = saving.manager?.send(state)
            return
        }
        saving.saver?.add(state)
        flushSaving()
    }

    /// The number of times that contents were saved.
    var savedCount: UInt64 { mutating get { isSaving ? saving.saver?.count ?? 0 : 0 } }

    /// Holds back the output of those to whom something was sent together with a change of the saved contents.
    mutating func hold(_ sends: [Outbox.Send], since before: UInt64) {
        guard savedCount > before else { return }
        for send in sends {
            // One that reads nothing has no output that could be continued, and its input is read to the end.
            guard let target = find(send.peer), !connections[target].isWriteClosed, !connections[target].isHeld
            else { continue }
            connections[target].isHeld = true
            saving.held.append(send.peer)
        }
        if exchange(&saving.hasFailed, with: false) { reportUnsaved() }
    }

    /// Sends messages to the manager, and continues the output that has waited for that.
    mutating func flushSaving() {
        let wasBehind = saving.saver?.isBehind
        saving.saver?.send(at: clock.now)
        if saving.saver?.isFull == true, !saving.isAwaitingRoom, let raw = saving.manager?.raw {
            saving.isAwaitingRoom = (try? add(RoomSource(raw))) != nil
        }
        if saving.saver?.isGone == true {
            saving.saver = nil
            isSaving = false
            if !isTakeover {
                log("the service manager has ended: kept contents do not survive a crash of this broker any more")
            }
            updateSaving()
        }
        if let isBehind = saving.saver?.isBehind, isBehind != wasBehind {
            log(
                isBehind
                    ? "the service manager takes nothing: new contents do not survive a crash of this broker"
                    : "the service manager takes contents again, and has all of them"
            )
            if isBehind { reportUnsaved() }
            updateSaving()
        }
        if !saving.isBusy { releaseHeld() }
    }

    /// Lets the acknowledgements that were held back say that the contents are not saved.
    private mutating func reportUnsaved() {
        for peer in saving.held {
            if let slot = find(peer) { connections[slot].output.changeControl(.committed, Committed.markUnsaved) }
        }
    }

    private mutating func releaseHeld() {
        while let peer = saving.held.popLast() {
            guard let slot = find(peer) else { continue }
            connections[slot].isHeld = false
            flushLater(slot)
        }
    }
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
        loop.saving.isAwaitingRoom = false
    }

    func draining(in loop: inout BrokerLoop) {}
}
