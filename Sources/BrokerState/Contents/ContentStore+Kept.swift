import PasteboardWire

// Kept bytes: their room in the pool, and their end. Each representation occupies one of the broker's descriptors.
extension ContentStore {
    func checkRoomForKept(
        announced: UInt64?,
        isConcealed: Bool,
        for account: Accounting.AccountID,
        _ context: borrowing BrokerContext
    ) throws(Failure) {
        if isConcealed { try checkConcealed(announced ?? 0) }
        // Without this limit one program could use up the broker's descriptors.
        guard context.accounting.room(for: account, of: .keptRepresentations) > 0 else {
            throw Failure(
                .limitExceeded,
                "the broker keeps \(keptTable.count) representations, and this program may not use the rest of limit "
                    + "kept-representations=\(context.limits.keptRepresentations); clear a pasteboard"
            )
        }
        try checkPool(announced ?? 0, for: account, context)
    }

    /// Creates the record of kept bytes. The caller has checked that there is room.
    mutating func insertKept(
        announced: UInt64?,
        content: ContentForm? = nil,
        isConcealed: Bool,
        for account: Accounting.AccountID,
        _ context: inout BrokerContext
    ) -> KeptID {
        context.accounting.acquire(of: .keptRepresentations, for: account)
        context.accounting.acquire(announced ?? 0, of: .keptBytes, for: account)
        let id = keptTable.insert(
            KeptBytes(
                account: account,
                announced: announced,
                charged: announced ?? 0,
                isConcealed: isConcealed,
                content: content
            )
        )
        if isConcealed { context.perform(.concealKept(id)) }
        return id
    }

    /// Reserves room for `total` bytes, if that is more than is reserved already.
    mutating func chargeKept(_ id: KeptID, for total: UInt64, _ context: inout BrokerContext) throws(Failure) {
        guard let slot = keptTable.find(id) else { return }
        if keptTable[slot].isConcealed { try checkConcealed(total) }
        guard total > keptTable[slot].charged else { return }
        let (account, more) = (keptTable[slot].account, total - keptTable[slot].charged)
        try checkPool(more, for: account, context)
        context.accounting.acquire(more, of: .keptBytes, for: account)
        keptTable[slot].charged = total
    }

    private func checkConcealed(_ count: UInt64) throws(Failure) {
        guard count > KeptBytes.concealedLength else { return }
        throw Failure(
            .tooLarge,
            "the broker keeps sensitive bytes up to 1 MiB (\(KeptBytes.concealedLength) bytes), and these are \(count); "
                + "promise them instead, as 'pasteboard offer' does"
        )
    }

    private func checkPool(
        _ more: UInt64,
        for account: Accounting.AccountID,
        _ context: borrowing BrokerContext
    ) throws(Failure) {
        let room = context.accounting.room(for: account, of: .keptBytes)
        guard more <= room else {
            throw Failure(
                .noSpace,
                "\(more) more bytes do not fit: the broker keeps \(context.accounting.total(of: .keptBytes)) of at most "
                    + "\(context.limits.keptPool) bytes, and this program may use \(room) more; clear a pasteboard, or "
                    + "start the broker with --limit kept-pool=BYTES"
            )
        }
    }

    func seal(_ kept: [KeptID], _ context: inout BrokerContext) {
        // Secret bytes are never passed, and are overwritten at their end.
        for id in kept where self.kept(id)?.isConcealed == false { context.perform(.completeKept(id)) }
    }

    /// The room that secret bytes take, which the status does not show.
    var concealedKeptBytes: UInt64 {
        mutating get {
            var sum: UInt64 = 0
            var cursor: SlotTable<KeptBytes>.Slot?
            while let slot = keptTable.advance(&cursor) {
                if keptTable[slot].isConcealed { sum += keptTable[slot].charged }
            }
            return sum
        }
    }

    mutating func releaseKept(_ kept: [KeptID], _ context: inout BrokerContext) {
        for id in kept {
            guard let bytes = keptTable.remove(id) else { continue }
            context.accounting.release(bytes.charged, of: .keptBytes, for: bytes.account)
            context.accounting.release(of: .keptRepresentations, for: bytes.account)
            context.perform(.closeKept(id))
        }
    }

    /// The write that has kept bytes, or waits for them.
    func write(with kept: KeptID) -> WriteID? {
        var cursor: SlotTable<PendingWrite>.Slot?
        while let slot = writeTable.advance(&cursor) {
            if writeTable[slot].keptBytes.contains(kept) { return writeTable.id(of: slot) }
        }
        return nil
    }

    /// The kept representations and bytes of writes and cached loads that are not complete.
    ///
    /// - Parameter except: a write that is about to be committed.
    mutating func pendingKept(except: WriteID? = nil) -> Accounting.Pending {
        var pending = Accounting.Pending()
        var cursor: SlotTable<PendingWrite>.Slot?
        while let slot = writeTable.advance(&cursor) {
            guard writeTable.id(of: slot) != except else { continue }
            for id in writeTable[slot].keptBytes {
                guard let kept = keptTable.find(id) else { continue }
                pending.representations += 1
                pending.bytes += keptTable[kept].charged
            }
        }
        var next: SlotTable<KeptBytes>.Slot?
        while let slot = keptTable.advance(&next) {
            guard !keptTable[slot].isWhole else { continue }
            pending.representations += 1
            pending.bytes += keptTable[slot].charged
        }
        return pending
    }

    /// Adds what the end of contents releases at once: nothing while a load or a list uses them.
    func addReleased(by slot: Slot, to pending: inout Accounting.Pending) {
        guard publicationTable[slot].openLoads == 0 else { return }
        pending.held = publicationTable[slot].charge.amount
        for id in publicationTable[slot].keptBytes {
            // Bytes of incomplete cached loads are pending already.
            guard let kept = keptTable.find(id), keptTable[kept].isWhole else { continue }
            pending.representations += 1
            pending.bytes = pending.bytes.addingClamped(keptTable[kept].charged)
        }
    }

    /// The number of kept bytes of the representations that `access` shows.
    func keptByteCount(of slot: Slot, visibleTo access: AccessContext) -> UInt64 {
        publicationTable[slot].keptBytes(visibleTo: access).reduce(0) { sum, id in
            guard let kept = keptTable.find(id) else { return sum }
            return sum + keptTable[kept].count
        }
    }
}
