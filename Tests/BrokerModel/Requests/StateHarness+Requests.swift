package import BrokerState
package import PasteboardWire

// Common requests of the tests.
extension StateHarness {
    /// Publishes items, with the bytes of kept representations in order, and commits. Returns the stream.
    @discardableResult
    package func write(
        _ items: [Item],
        kept: [[UInt8]] = [],
        board: String? = nil,
        ifChangeCount: UInt64? = nil,
        terms: ContentTerms? = nil,
        adding handle: UInt64? = nil,
        keepsPromises: Bool? = nil,
        origin: Origin? = nil,
        from peer: PeerID
    ) -> UInt64 {
        let stream = begin(
            board: board,
            ifChangeCount: ifChangeCount,
            terms: terms,
            adding: handle,
            keepsPromises: keepsPromises,
            origin: origin,
            from: peer
        )
        var bytes = kept[...]
        for item in items {
            send(item, on: stream, from: peer)
            for representation in item.representations where representation.provision == .kept {
                data(bytes.popFirst() ?? [], last: true, on: stream, from: peer)
            }
        }
        commit(items.count, on: stream, from: peer)
        return stream
    }

    @discardableResult
    package func begin(
        board: String? = nil,
        ifChangeCount: UInt64? = nil,
        terms: ContentTerms? = nil,
        adding handle: UInt64? = nil,
        keepsPromises: Bool? = nil,
        reclaiming count: UInt64? = nil,
        of epoch: UInt64? = nil,
        origin: Origin? = nil,
        from peer: PeerID
    ) -> UInt64 {
        let stream = newStream(of: peer)
        var write = Write()
        write.origin = origin
        if origin != nil { write.requires.append(Feature.links.rawValue) }
        write.board = board
        write.ifChangeCount = ifChangeCount
        write.reclaimsChangeCount = count
        write.reclaimsEpoch = epoch
        if count != nil || epoch != nil { write.requires.append(Feature.reclaim.rawValue) }
        write.terms = terms
        write.handle = handle
        write.keepsPromises = keepsPromises
        if ifChangeCount != nil { write.requires.append(Feature.condition.rawValue) }
        if terms != nil { write.requires.append(Feature.terms.rawValue) }
        if handle != nil { write.requires.append(Feature.additions.rawValue) }
        if keepsPromises != nil { write.requires.append(Feature.handOver.rawValue) }
        send(write, on: stream, from: peer)
        return stream
    }

    package func commit(_ count: Int, on stream: UInt64, from peer: PeerID) {
        var commit = Commit()
        commit.itemCount = UInt32(count)
        send(commit, on: stream, from: peer)
    }

    /// Publishes one promised item of the types, and takes `committed`.
    @discardableResult
    package func promise(
        _ types: String...,
        board: String? = nil,
        terms: ContentTerms? = nil,
        from peer: PeerID
    ) -> Committed {
        let stream = write([Item(types.map { Representation($0) })], board: board, terms: terms, from: peer)
        return take(peer).on(stream).first(Committed.self) ?? Committed()
    }

    /// Loads with much credit, by default the best type of the first item. Returns the stream.
    @discardableResult
    package func load(
        from peer: PeerID,
        credit: UInt64 = 1 << 40,
        _ configure: (inout Load) -> Void = { _ in }
    ) -> UInt64 {
        let stream = newStream(of: peer)
        var load = Load()
        load.credit = credit
        configure(&load)
        send(load, on: stream, from: peer)
        return stream
    }

    package func credit(_ offset: UInt64, on stream: UInt64, from peer: PeerID) {
        var credit = Credit()
        credit.offset = offset
        send(credit, on: stream, from: peer)
    }

    package func list(_ board: String? = nil, from peer: PeerID) -> [Frame] {
        _ = take(peer)
        var list = List()
        list.board = board
        send(list, on: newStream(of: peer), from: peer)
        return take(peer)
    }

    package func status(from peer: PeerID, history: Bool? = nil) -> [StatusEntry] {
        let stream = newStream(of: peer)
        var status = Status()
        status.history = history
        send(status, on: stream, from: peer)
        return take(peer).on(stream).all(StatusEntry.self)
    }

    @discardableResult
    package func clear(
        _ board: String? = nil,
        ifChangeCount: UInt64? = nil,
        origin: Origin? = nil,
        from peer: PeerID
    ) -> UInt64 {
        var clear = Clear()
        clear.origin = origin
        clear.board = board
        clear.ifChangeCount = ifChangeCount
        if ifChangeCount != nil { clear.requires = [Feature.condition.rawValue] }
        if origin != nil { clear.requires.append(Feature.links.rawValue) }
        let stream = newStream(of: peer)
        send(clear, on: stream, from: peer)
        return stream
    }

    /// The streams of the asks among the frames to the peer since the last call.
    package func takeAsks(_ peer: PeerID) -> [UInt64] {
        take(peer).filter { $0.kind == .ask }.map(\.stream)
    }
}

extension Item {
    package init(_ representations: [Representation], name: String? = nil) {
        self.init()
        self.representations = representations
        suggestedName = name
    }

    /// An item with only promises.
    package init(_ types: String...) {
        self.init(types.map { Representation($0) })
    }
}

extension Representation {
    package init(
        _ type: String,
        supertypes: [String] = [],
        byteCount: UInt64? = nil,
        kept: Bool = false,
        visibility: Visibility? = nil
    ) {
        self.init()
        self.type = type
        self.supertypes = supertypes
        self.byteCount = byteCount
        provision = kept ? 1 : 0
        self.visibility = visibility
    }
}

extension ContentTerms {
    package init(
        concealed: Bool? = nil,
        transient: Bool? = nil,
        autogenerated: Bool? = nil,
        localOnly: Bool? = nil,
        expires: UInt64? = nil,
        loads: UInt32? = nil
    ) {
        self.init()
        isConcealed = concealed
        isTransient = transient
        isAutogenerated = autogenerated
        isLocalOnly = localOnly
        expiresMilliseconds = expires
        maximumLoads = loads
    }
}

extension Origin {
    package init(_ path: [UInt64], _ milliseconds: UInt64?) {
        self.init()
        (self.path, self.milliseconds) = (path, milliseconds)
    }
}

extension Answer {
    package init(byteCount: UInt64) {
        self.init()
        self.byteCount = byteCount
    }
}

extension End {
    package init(byteCount: UInt64?) {
        self.init()
        self.byteCount = byteCount
    }
}
