import BrokerState
package import PasteboardTransport
package import PasteboardWire

// Contents that outlive the broker. What depends on a change of the saved contents is held back until the service manager
// has it: a writer that was told that its bytes are kept finds them after a crash, and contents that were cleared do not
// come back.
extension BrokerLoop {
    /// Saves contents with the manager from now on, after restoring those that an earlier broker has saved there.
    ///
    /// - Parameter refusingOthers: whether contents that a broker of another version has saved are an error. By default
    ///   they are lost.
    package mutating func save(
        with manager: ServiceManager,
        restoring passed: [ServiceManager.Passed],
        refusingOthers: Bool = false
    ) throws(Failure) {
        self.manager = manager
        guard manager.capacity > 0 else { return }
        // The contents have an age.
        let now = clock.now
        note { $0.setTime(now) }
        saver = ContentsSaver(manager, after: passed.map(\.name))
        try restore(passed, refusingOthers: refusingOthers)
        note { $0.setSaving(true) }
        isSaving = true
    }

    // MARK: Restoring

    private mutating func restore(_ passed: [ServiceManager.Passed], refusingOthers: Bool) throws(Failure) {
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
                log("cannot restore contents: \(error)")
            }
        }
        // The newest first: of two contents of a board, the older ones were replaced.
        saved.sort { $0.order > $1.order }
        var used: Set<String> = []
        for (name, contents, _) in saved {
            do {
                used.formUnion(try restore(contents, as: name, files))
                used.insert(name)
            } catch {
                if refusingOthers, error.code == .versionMismatch { throw error }
                if error.code != .superseded {
                    log("cannot restore the contents of pasteboard \(contents.board.printable): \(error)")
                }
            }
        }
        for passed in passed where ContentsSaver.number(passed.name) != nil && !used.contains(passed.name) {
            saver?.removeName(passed.name)
        }
    }

    /// The greatest size of a description.
    private static let descriptionLimit = 64 << 20

    /// Restores contents entirely or not at all.
    ///
    /// - Returns: the names of their kept bytes.
    private mutating func restore(
        _ contents: SavedContents,
        as name: String,
        _ files: [String: DescriptorBox]
    ) throws(Failure) -> [String] {
        let sizes = contents.items.flatMap { $0.representations.filter { $0.provision == .kept }.map(\.byteCount) }
        guard sizes.count == contents.keptNames.count else {
            throw Failure(
                .invalidArgument,
                "\(contents.keptNames.count) of \(sizes.count) kept representations are named"
            )
        }
        var memory: [MemoryFile?] = []
        for (size, name) in zip(sizes, contents.keptNames) {
            guard !name.isEmpty else {
                memory.append(nil)
                continue
            }
            guard let descriptor = files[name], let file = MemoryFile(sealing: descriptor),
                (try? file.size) == size
            else {
                throw Failure(.invalidArgument, "the bytes \(name) are missing, or are others than were saved")
            }
            memory.append(file)
        }
        let bootTime = MonotonicClock.bootMicroseconds() / 1_000
        let result = input { state in
            Result { () throws(Failure) in try state.restore(contents, at: bootTime) }
        }
        let (publication, kept) = try result.get()
        for (id, file) in zip(kept, memory) { self.memory.set(file, for: id) }
        saver?.restored(publication, as: name, kept: Array(zip(kept, contents.keptNames)))
        return contents.keptNames
    }

    // MARK: Saving

    mutating func save(_ id: PublicationID) {
        let bootTime = MonotonicClock.bootMicroseconds() / 1_000
        guard let (contents, kept) = input({ $0.saved(id, at: bootTime) }) else { return saver?.remove(id) ?? () }
        do throws(SystemError) {
            try saver?.save(id, contents, kept: kept) { memory.saved($0) }
        } catch {
            log(
                "cannot save the contents of pasteboard \(contents.board.printable), which end with this broker: \(error)"
            )
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
            log("the service manager does not answer: contents may not survive the end of this broker")
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
            note { $0.setSaving(false) }
            log("the service manager has ended: kept contents do not survive the end of this broker any more")
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
