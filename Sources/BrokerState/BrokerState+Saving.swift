package import PasteboardWire

// Contents that outlive the broker: the driver saves them, and restores them at the start of the next broker.
extension BrokerState {
    /// Sets whether the driver saves contents.
    package mutating func setSaving(_ isSaving: Bool) {
        context.savesContents = isSaving
    }

    /// Contents as they are saved, and their kept bytes in the order of the representations; nil if they do not outlive
    /// the broker.
    ///
    /// - Parameter bootTime: the milliseconds since the machine started, including suspensions.
    package mutating func saved(_ id: PublicationID, at bootTime: UInt64) -> (contents: SavedContents, kept: [KeptID])?
    {
        // A created board ends with the connection of its creator.
        guard let slot = contents.find(id), !boards.isCreated(contents[slot].boardName),
            let (description, kept) = contents.saved(slot, at: bootTime, context)
        else { return nil }
        var saved = description
        for item in saved.items { context.cost += Cost.entry + item.representations.count * Cost.name }
        let count = boards.count(of: saved.board)
        saved.changeCount = count.changeCount
        saved.epoch = count.epoch
        return (saved, kept)
    }

    /// Restores contents that an earlier broker saved, under the change count that they had, or under a new one if none was
    /// saved. Called before any peer connects, for the newest contents of each board first.
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
        guard saved.changeCount ?? 0 <= Int64.max, saved.version ?? 0 <= Int64.max else {
            throw Failure(.invalidArgument, "their change count or version is too large")
        }
        try BoardName.check(saved.board)
        guard !boards.exists(saved.board) else {
            throw Failure(.superseded, "newer contents of pasteboard \(saved.board) were restored")
        }
        let (publication, kept) = try contents.restore(saved, at: bootTime, &context)
        let change: Boards.Change
        if let changeCount = saved.changeCount, let epoch = saved.epoch {
            boards.pass(changeCount)
            let count = BoardCount(changeCount: changeCount, epoch: epoch)
            change = boards.restore(saved.board, to: publication, as: count)
        } else {
            change = boards.set(saved.board, to: publication, context)
        }
        if change.isCharged, let slot = contents.find(publication) {
            context.accounting.take(of: .boards, for: contents[slot].charge.account)
        }
        return (publication, kept)
    }
}
