package import PasteboardWire

// Contents that outlive the broker: the driver saves them, and restores them at the start of the next broker.
extension BrokerState {
    package mutating func setSaving(_ saving: BrokerContext.Saving) {
        world.context.saving = saving
    }

    /// Sets the directory in which a client may put kept bytes, its device, and the number of bytes for which it has
    /// room.
    package mutating func setRoom(_ room: UInt64, in directory: String, device: UInt64) {
        world.context.keptDirectory = (directory, device, room)
    }

    /// Contents as they are saved, and their kept bytes in the order of the representations; nil if they are not saved
    /// there.
    ///
    /// - Parameter bootTime: the milliseconds since the machine started, including suspensions.
    package mutating func saved(
        _ id: PublicationID,
        at bootTime: UInt64
    ) -> (contents: SavedContents, kept: [KeptID])? {
        guard let slot = world.contents.find(id), isSaved(id) else { return nil }
        var (saved, kept) = world.contents.saved(slot, at: bootTime, world.context)
        var bytes = 0
        for item in saved.items {
            world.context.cost += Cost.entry + item.representations.count * Cost.name
            for case let size? in item.representations.map(\.byteCount) where size <= SavingRules.partSize {
                bytes = min(bytes + Int(size), SavingRules.partsSize)
            }
        }
        // Each change of the contents writes these again.
        world.context.cost += bytes / Cost.bytes
        let count = boards.count(of: saved.board)
        saved.changeCount = count.changeCount
        saved.epoch = count.epoch
        saved.totalChangeCount = boards.totalChangeCount(of: saved.board)
        let origin = boards.origin(of: saved.board)
        (saved.moment, saved.path) = (origin?.moment, origin?.path ?? [])
        return (saved, kept)
    }

    /// Whether contents are saved.
    func isSaved(_ id: PublicationID) -> Bool {
        // A created board ends with the connection of its creator.
        guard let slot = world.contents.find(id), !boards.isCreated(world.contents[slot].boardName) else {
            return false
        }
        return SavingRules.isSaved(world.contents.sort(of: id))
    }

    /// Whether saved contents are also copied to the disk.
    package func isCopied(_ id: PublicationID) -> Bool { SavingRules.isCopied(world.contents.sort(of: id)) }

    /// The contents of all boards, those that were written last first.
    package var writtenContents: [PublicationID] {
        let all = boards.full.compactMap { name -> (id: PublicationID, age: UInt64)? in
            guard let id = boards.publication(on: name), let slot = world.contents.find(id) else { return nil }
            return (id, world.contents.age(of: slot, world.context))
        }
        return all.sorted { $0.age < $1.age }.map(\.id)
    }

    /// Restores contents that an earlier broker saved, under the change count that they had, or under a new one if none
    /// was saved. Called before any peer connects, for the newest contents of each board first.
    ///
    /// - Returns: the contents, and their kept bytes in the order of the representations.
    package mutating func restore(
        _ saved: SavedContents,
        at bootTime: UInt64
    ) throws(Failure) -> (publication: PublicationID, kept: [KeptID]) {
        guard saved.format == SavedContents.format else {
            throw Failure(
                .versionMismatch,
                "broker \(saved.programVersion ?? "of an unknown version") saved them in format \(saved.format ?? 0), and "
                    + "this broker, \(peers.programVersion), reads format \(SavedContents.format); run the newer one"
            )
        }
        let numbers = [saved.changeCount, saved.version, saved.totalChangeCount, saved.moment]
        guard numbers.allSatisfy({ $0 ?? 0 <= Int64.max }) else {
            throw Failure(.invalidArgument, "their change count, version or moment is too large")
        }
        try BoardName.check(saved.board)
        guard !boards.exists(saved.board) else {
            throw Failure(.superseded, "newer contents of pasteboard \(saved.board) were restored")
        }
        let (publication, kept) = try world.contents.restore(saved, at: bootTime, &world.context)
        let change: Boards.Change
        let origin = BoardOrigin(of: saved)
        if let changeCount = saved.changeCount, let epoch = saved.epoch {
            let total = saved.totalChangeCount ?? changeCount
            boards.raiseFirstChangeCount(above: max(changeCount, total))
            let count = BoardCount(changeCount: changeCount, epoch: epoch)
            change = boards.restore(saved.board, to: publication, as: count, total: total, origin: origin)
        } else {
            change = boards.set(saved.board, to: publication, origin: origin, world.context)
        }
        recordLinks(of: saved.board)
        if change.isCharged, let slot = world.contents.find(publication) {
            world.context.accounting.acquire(of: .boards, for: world.contents[slot].charge.account)
        }
        return (publication, kept)
    }
}
