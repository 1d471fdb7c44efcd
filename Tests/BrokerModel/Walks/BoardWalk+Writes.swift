import BrokerState
import PasteboardWire

// Writes, additions, hand-overs and reclaims.
extension BoardWalk {
    mutating func write(as peer: PeerID) -> String {
        let handle = chance(25) ? chance(90) ? written[peer]?.last : choices.element(of: handles) : nil
        let terms = handle == nil ? terms() : nil
        if leavesContents, handle == nil, chance(20) { return reclaim(as: peer, terms) }
        if leavesContents, handle != nil, chance(60) { return handOver(to: handle, as: peer) }
        let board = self.board()
        let stream = broker.begin(board: board, terms: terms, adding: handle, from: peer)
        finishWrite(stream, of: peer, on: board, adds: handle != nil, keepsPromises: false)
        guard leavesContents, handle == nil, chance(40) else { return "write" }
        // Others have not replaced the contents yet.
        listen()
        return chance(50) ? handOver(to: written[peer]?.last, as: peer) : reclaim(as: peer, nil, isOwn: true)
    }

    private mutating func handOver(to handle: UInt64?, as peer: PeerID) -> String {
        guard peers.contains(peer) else { return "nothing" }
        let stream = broker.begin(adding: handle, keepsPromises: true, from: peer)
        leaving.insert(WalkStream(peer: peer, id: stream))
        finishWrite(stream, of: peer, on: nil, adds: true, keepsPromises: true)
        return "hand over"
    }

    /// Writes under a change count that a board had, or that one of another broker may have had.
    private mutating func reclaim(as peer: PeerID, _ terms: ContentTerms?, isOwn: Bool = false) -> String {
        guard peers.contains(peer) else { return "nothing" }
        var reclaimed = choices.element(of: counts.suffix(6))
        if isOwn || chance(40), let own = counts.last(where: { $0.stream?.peer == peer }), let stream = own.stream {
            broker.send(Cancel(), on: stream.id, from: peer)
            reclaimed = own
        } else if reclaimed == nil || chance(30) {
            let board = choices.element(of: ["one", "two", "three"])
            reclaimed = (nil, board, (choices.number(in: 4_980...5_005) as UInt64), chance(80) ? 76 : 77)
        }
        let stream = broker.begin(
            board: reclaimed?.board,
            terms: terms,
            reclaiming: chance(97) ? reclaimed?.changeCount : nil,
            of: reclaimed?.epoch,
            from: peer
        )
        reclaiming.insert(WalkStream(peer: peer, id: stream))
        finishWrite(stream, of: peer, on: reclaimed?.board, adds: false, keepsPromises: false)
        return "reclaim"
    }

    private mutating func finishWrite(
        _ stream: UInt64,
        of peer: PeerID,
        on board: String?,
        adds: Bool,
        keepsPromises: Bool
    ) {
        let write = WalkStream(peer: peer, id: stream)
        writes.append(write)
        if !adds { boards[write] = board ?? BoardName.general }
        let count = keepsPromises ? 1 : choices.number(in: 0...3)
        // An item that exists has the usual types already.
        let isNew = adds && chance(keepsPromises ? 20 : 90)
        let prefix = isNew ? "x\(choices.number(in: 0..<1_000))." : ""
        for _ in 0..<count { addItem(to: stream, of: peer, prefix, isKept: keepsPromises && chance(95)) }
        if !chance(20) { broker.commit(chance(10) ? 9 : count, on: stream, from: peer) }
    }

    private mutating func terms() -> ContentTerms? {
        guard chance(25) else { return nil }
        return ContentTerms(
            concealed: chance(40) ? true : nil,
            transient: chance(30) ? true : nil,
            localOnly: chance(30) ? true : nil,
            expires: chance(30) ? choices.number(in: 0...60_000) : nil,
            loads: chance(50) ? choices.number(in: 0...3) : nil
        )
    }

    private mutating func addItem(to stream: UInt64, of peer: PeerID, _ prefix: String = "", isKept: Bool = false) {
        var representations: [Representation] = []
        for index in 0..<choices.number(in: 1...3) {
            var representation = Representation(
                prefix + ["public.png", "public.utf8-plain-text", "com.example.x"][index],
                byteCount: chance(30) ? choices.number(in: 0...2_000) : nil,
                kept: isKept || chance(30),
                visibility: namesTypes && chance(95)
                    ? .all : Visibility(rawValue: choices.number(in: 0...3))
            )
            if chance(namesTypes ? 10 : 60), representation.provision != .kept { representation.policy = .onceAndKept }
            if chance(20) { representation.firstByteMilliseconds = choices.number(in: 0...20_000) }
            representations.append(representation)
        }
        var item = Item(representations)
        item.requires = [Feature.onceAndKept.rawValue]
        broker.send(item, on: stream, from: peer)
        for representation in representations where representation.provision == .kept {
            // Many large ones would fill the pool, and then hardly any hand-over would succeed.
            let greatest = isKept ? 2_000 : 300_000
            let right = representation.byteCount.map { Int($0) } ?? choices.number(in: 0...greatest)
            let count = chance(5) ? right + 1 : right
            if broker.passing.contains(peer), chance(30) {
                let sealed = ReceivedDescriptor.sealedMemory(byteCount: UInt64(count))
                broker.pass(chance(90) ? sealed : .readOnlyFile, kind: .data, on: stream, from: peer)
                continue
            }
            // The next item or the commit is a violation then.
            broker.data(count: count, last: !chance(1), on: stream, from: peer)
        }
    }

    mutating func continueWrite() -> String {
        // To continue a write after its commit is a violation.
        let open = chance(5) ? writes : writes.filter { !committed.contains($0) }
        guard let write = choices.element(of: open) else { return "nothing" }
        if chance(50) {
            addItem(to: write.id, of: write.peer)
        } else {
            broker.commit(1, on: write.id, from: write.peer)
        }
        return "continue a write"
    }
}
