import PasteboardWire

// Representations that are asked for once and then kept. See `Fill`.
extension BrokerState {
    // MARK: Beginning

    /// Throws if what a load has chosen would have to be kept and there is no room.
    func checkRoomForFill(_ representation: StoredRepresentation, of id: PublicationID) throws(Failure) {
        guard representation.isKeptOnce, representation.kept == nil, representation.filling == nil,
            let writer = self.publications[id]?.charge.account
        else { return }
        try self.checkRoomForKept(announced: representation.byteCount, for: writer)
    }

    /// Where the bytes of a load that has chosen such a representation lie, or will. The source is asked once the load
    /// has joined.
    mutating func fill(
        _ place: (publication: PublicationID, item: UInt32, representation: Int),
        _ representation: StoredRepresentation,
        from owner: (peer: PeerID, stream: UInt64),
        for account: Accounting.AccountID
    ) -> KeptID {
        if let filling = representation.filling { return filling }
        // What is kept is the writer's, whoever wanted it.
        let writer = self.publications[place.publication]?.charge.account ?? account
        let kept = self.insertKept(announced: representation.byteCount, for: writer)
        let route = Route(
            destination: PeerID(rawValue: 0),
            destinationStream: 0,
            source: .peer(owner.peer),
            publication: place.publication,
            item: place.item,
            representation: UInt32(clamping: place.representation),
            // Nothing: the representation itself was charged, and there is one fill of it at most. But it waits for its
            // turn as a load of who wanted it first.
            charge: Charge(account: account),
            place: 0,
            startedAt: self.now,
            endsBy: nil,
            maximumByteCount: nil,
            firstByte: representation.firstByte(unlessSaid: self.limits.firstByte),
            descriptorWelcome: false,
            inPlaceWelcome: false,
            filling: kept,
            declaredByteCount: representation.byteCount,
            credit: .max
        )
        let id = self.routes.insert(route)
        self.kept.update(kept) { $0.fill = Fill(route: id) }
        self.publications.update(place.publication) { $0.openLoads += 1 }
        self.update(route) { $0.filling = kept }
        return kept
    }

    /// A load is to read bytes that are being kept. The first one has the source asked.
    mutating func join(_ kept: KeptID, _ load: RouteID) {
        guard let fill = self.kept[kept]?.fill else { return }
        self.kept.update(kept) { kept in
            kept.fill?.joined.append(load)
            kept.fill?.loads += 1
        }
        if fill.joined.count > 2 * fill.loads + 32 {
            let open = fill.joined.filter { self.isOpen($0) } + [load]
            self.kept.update(kept) { $0.fill?.joined = open }
        }
        if fill.loads == 0, let route = self.routes[fill.route], case .peer(let source) = route.source {
            self.enqueue(fill.route, route, at: source)
        }
    }

    private func isOpen(_ id: RouteID) -> Bool {
        self.routes[id].map { $0.phase != .ended } ?? false
    }

    // MARK: Bytes

    /// Data of a fill has come, within its credit.
    mutating func takeFill(_ kept: KeptID, _ id: RouteID, count: Int, last: Bool) -> RelayVerdict {
        do throws(Failure) {
            try self.chargeKept(kept, for: (self.kept[kept]?.count ?? 0).addingClamped(UInt64(count)))
        } catch {
            self.fail(id, error, tellSource: !last)
            return .drop
        }
        self.counters.keptBytes += UInt64(count)
        self.routes.update(id) { [now = self.now] in
            $0.received += UInt64(count)
            $0.phase = .flowing
            $0.activeAt = now
            $0.byteAt = now
        }
        self.check(by: self.now.addingClamped(self.limits.progress))
        return .fill(kept, last: last)
    }

    /// Bytes of a fill have been stored, and are there to be read. It is whole if they were the last.
    package mutating func stored(_ kept: KeptID, count: Int, last: Bool) {
        guard let fill = self.kept[kept]?.fill else { return }
        self.kept.update(kept) { $0.count += UInt64(count) }
        last ? self.completeFill(kept) : self.markReady(kept)
        self.delivered(fill.route, count: count)
    }

    /// Its loads have something to look at. They do when all that has come is in, and not for each piece of it: there
    /// may be many of both.
    private mutating func markReady(_ kept: KeptID) {
        guard self.kept[kept]?.fill?.isReady == false else { return }
        self.kept.update(kept) { $0.fill?.isReady = true }
        self.readyFills.append(kept)
    }

    mutating func wakeJoined() {
        // Asked first: `popLast` of an empty array makes a new one.
        while !self.readyFills.isEmpty {
            let kept = self.readyFills.removeLast()
            guard let joined = self.kept[kept]?.fill?.joined else { continue }
            self.kept.update(kept) { $0.fill?.isReady = false }
            self.readyKept.append(contentsOf: joined)
        }
    }

    // MARK: What the source says

    mutating func fillAnswered(_ kept: KeptID, _ id: RouteID, _ answer: Answer) {
        self.kept.update(kept) {
            $0.content = answer.content ?? $0.content
            $0.fileName = answer.suggestedName?.asSuggestedName ?? $0.fileName
        }
        guard let byteCount = answer.byteCount else { return }
        do throws(Failure) {
            try self.chargeKept(kept, for: byteCount)
        } catch {
            return self.fail(id, error, tellSource: true)
        }
        self.kept.update(kept) { $0.announced = byteCount }
        self.markReady(kept)
    }

    mutating func fillProgressed(_ kept: KeptID, _ progress: Progress) {
        for load in self.kept[kept]?.fill?.joined ?? [] {
            guard let route = self.routes[load], route.phase != .ended else { continue }
            self.forward(progress, to: load, route)
        }
    }

    // MARK: Ends

    /// All has come: from now on these are kept bytes like any others, and loads that have joined read to their end.
    mutating func completeFill(_ kept: KeptID) {
        guard let fill = self.kept[kept]?.fill, let count = self.kept[kept]?.count,
            let charged = self.kept[kept]?.charged, let route = self.routes[fill.route]
        else { return }
        self.kept.update(kept) {
            $0.fill = nil
            $0.charged = count
        }
        let excess = charged - min(charged, count)
        if let account = self.kept[kept]?.account {
            self.accounting.giveUp(Accounting.Kept(bytes: excess), for: account)
        }
        self.update(route) {
            $0.filling = nil
            $0.kept = kept
        }
        self.outbox.perform(.sealKept(kept))
        self.readyKept.append(contentsOf: fill.joined)
        self.remove(fill.route)
    }

    /// Nothing will come of it: all its loads hear why, and a later one asks again.
    mutating func failFill(_ kept: KeptID, _ failure: Failure) {
        guard let fill = self.kept[kept]?.fill else { return }
        // First, so that the loads that end do not end it once more.
        self.kept.update(kept) { $0.fill = nil }
        for load in fill.joined { self.fail(load, failure) }
        self.drop(kept, fill)
    }

    /// A load that had joined is over. With the last one nobody wants the bytes any more.
    mutating func leaveFill(_ kept: KeptID) {
        guard self.kept[kept]?.fill != nil else { return }
        self.kept.update(kept) { $0.fill?.loads -= 1 }
        guard let fill = self.kept[kept]?.fill, fill.loads == 0 else { return }
        self.kept.update(kept) { $0.fill = nil }
        self.tellSourceCancelled(fill.route)
        self.drop(kept, fill)
    }

    private mutating func drop(_ kept: KeptID, _ fill: Fill) {
        guard let route = self.routes[fill.route] else { return }
        self.update(route) { $0.filling = nil }
        self.remove(fill.route)
        // What came last may not have been stored; nobody waits for it now.
        self.release(fill.route)
        self.release([kept])
    }

    /// Changes the representation that a route gives.
    private mutating func update(_ route: Route, _ change: (inout StoredRepresentation) -> Void) {
        self.publications.update(route.publication) {
            change(&$0.items[Int(route.item)].representations[Int(route.representation)])
        }
    }
}

extension Failure {
    static func tooLarge(_ byteCount: UInt64, allowed maximum: UInt64) -> Failure {
        Failure(.tooLarge, "the representation has \(byteCount) bytes; this load allows \(maximum)")
    }
}
