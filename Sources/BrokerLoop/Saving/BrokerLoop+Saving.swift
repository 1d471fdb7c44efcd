import BrokerState
package import PasteboardTransport
import PasteboardWire

/// The places where contents are saved, chosen by `SavingRules`.
struct Saving {
    /// nil if nothing is saved.
    var saver: ContentsSaver?
    var disk = Disk.none
    /// Whether contents were written or cleared since the copy on the disk was made.
    var hasChanged = false
    /// The boot of the machine, with which contents are saved.
    var boot: Boot?
    /// Whether the last contents could not be saved, which is logged once.
    var isFailing = false
    /// Whether something could not be saved since the last output.
    var hasFailed = false
}

extension BrokerLoop {
    /// Saves contents in the kept directory from now on, after restoring those that are there, or on the disk.
    ///
    /// - Parameters:
    ///   - directory: nil if there is none: each acknowledgement then says that nothing was saved.
    /// - Throws: a `SystemError` if the system cannot open a file now, which another start can restore. A broker that
    ///   served without it would let it come back after newer contents.
    package mutating func beginSaving(
        in directory: KeptDirectory?,
        disk: Disk,
        boot: Boot = .current()
    ) throws(SystemError) {
        // Restored contents need the current time for their age.
        let now = clock.now
        withState { $0.setTime(now) }
        (saving.disk, saving.boot) = (disk, boot)
        guard let directory else { return withState { $0.setSaving(.failing) } }
        if directory.wasLeft { expectReclaims() }
        memory.directory = directory
        saving.saver = ContentsSaver(directory, closer: closer)
        disk.copy?.begin(with: directory, room: state.world.context.limits.keptPool, log: log)
        if case .changed = directory.copyState { saving.hasChanged = true }
        try restore(from: directory, boot)
        withState { $0.setSaving(.working) }
        updateRoom()
    }

    /// Records that another broker has served before this one.
    package mutating func expectReclaims() {
        withState { $0.expectReclaims() }
    }

    /// Tells the state what a client can put into the kept directory.
    mutating func updateRoom() {
        guard let directory = memory.directory else { return }
        withState { $0.setRoom(directory.room, in: directory.path, device: directory.device) }
    }

    // MARK: Restoring

    /// Restores what is in the directory: small contents first, as far as the limits allow. A damaged file costs its
    /// pasteboard. Files that nothing names are removed.
    private mutating func restore(from directory: KeptDirectory, _ boot: Boot) throws(SystemError) {
        let names = try directory.names()
        // Most brokers find nothing, and need no memory for it.
        guard !names.isEmpty else { return }
        // Their descriptions are read twice, because all of them together may be large.
        var boards: [(name: SystemString, size: UInt64)] = []
        for name in names where name.description.hasPrefix(KeptDirectory.Prefix.board) {
            do {
                boards.append((name, try FoundContents(name, in: directory).contents.keptSize))
            } catch {
                try lose(name, in: directory, error)
            }
        }
        boards.sort { $0.size < $1.size }
        let limits = state.world.context.limits
        var (room, representations, left) = (limits.keptPool, limits.keptRepresentations, limits.boards)
        var used: Set<SystemString> = []
        for (name, size) in boards {
            do {
                var found = try FoundContents(name, in: directory)
                let count = UInt64(found.contents.keptSizes.count)
                guard size <= room, count <= representations, left > 0 else {
                    let text = "the limits kept-pool, kept-representations and boards have no room for them"
                    throw Failure(.noSpace, text)
                }
                found.contents.move(to: boot)
                try found.open(in: directory)
                let publication = try restore(found)
                saving.saver?.restored(publication, of: found)
                (room, representations, left) = (room - size, representations - count, left - 1)
                used.formUnion(found.contents.keptNames.map { SystemString($0) })
            } catch {
                try lose(name, in: directory, error)
            }
        }
        for name in names where !name.description.hasPrefix(KeptDirectory.Prefix.board) && !used.contains(name) {
            directory.remove(name)
        }
    }

    /// Removes contents that cannot be restored, now or by another broker with these limits.
    private func lose(
        _ name: SystemString,
        in directory: KeptDirectory,
        _ error: any Error
    ) throws(SystemError) {
        if let error = error as? SystemError, error.shortage != nil { throw error }
        let isExpired = (error as? Failure)?.code == .nothingHere
        if !isExpired { log("cannot restore the contents in \(directory.path)/\(name): \(error)") }
        directory.remove(name)
    }

    /// Restores contents entirely or not at all.
    private mutating func restore(_ found: FoundContents) throws(Failure) -> PublicationID {
        let bootTime = MonotonicClock.bootMicroseconds() / 1_000
        let result = input { state in
            Result { () throws(Failure) in try state.restore(found.contents, at: bootTime) }
        }
        let (publication, kept) = try result.get()
        for (id, bytes) in zip(kept, found.kept) { memory[id] = bytes }
        return publication
    }

    // MARK: Saving

    mutating func save(_ id: PublicationID) {
        guard saving.saver != nil else { return }
        let bootTime = MonotonicClock.bootMicroseconds() / 1_000
        guard let (saved, kept) = input({ $0.saved(id, at: bootTime) }) else { return removeSaved(id) }
        var contents = saved
        contents.programVersion = ProgramVersion.current
        (contents.bootID, contents.bootedAt) = (saving.boot?.id, saving.boot?.startedAt())
        var bytes = kept.map { memory[$0] }
        do throws(SystemError) {
            try saving.saver?.save(id, contents, kept: &bytes)
            for (id, bytes) in zip(kept, bytes) { memory[id] = bytes }
            saving.isFailing = false
        } catch {
            if !saving.isFailing {
                let board = contents.board.printable
                log("cannot save the contents of pasteboard \(board), which end with this broker: \(error)")
            }
            (saving.isFailing, saving.hasFailed) = (true, true)
        }
    }

    mutating func removeSaved(_ id: PublicationID) {
        saving.saver?.remove(id)
    }

    /// Invalidates the copy on the disk, because the contents of a board have changed.
    mutating func makeDiskCopyVoid() {
        saving.hasChanged = true
        memory.directory?.setCopyState(.changed)
        saving.disk.copy?.makeVoid()
    }

    /// Lets the acknowledgements of contents that could not be saved say that.
    mutating func reportUnsaved(to sends: [Outbox.Send]) {
        guard exchange(&saving.hasFailed, with: false) else { return }
        for send in sends {
            if let slot = find(send.peer) { connections[slot].output.changeControl(.committed, Committed.markUnsaved) }
        }
    }

    // MARK: The end

    /// Leaves a copy on the disk, and everything else to the next broker, because this one ends.
    mutating func endSaving() {
        let kept = withState { $0.writtenContents }.filter { saving.saver?.holds($0) ?? false }
        var error: String?
        if !isTakeover, saving.hasChanged, let directory = memory.directory {
            switch saving.disk {
            case .none: break
            case .unusable(let reason): error = reason
            case .copy(let disk):
                let copied = kept.filter { id in withState { $0.isCopied(id) } }
                error = disk.write(copied.compactMap { saving.saver?.files(of: $0) }, from: directory)
            }
            if let error { log("cannot leave contents on the disk: \(error)") }
        }
        // Releases the lock.
        withState { $0.setSaving(.none) }
        (saving.saver, memory.directory) = (nil, nil)
        input { $0.answerStops(kept: Set(kept), error: error) }
    }
}
