import BrokerModel
import BrokerState
import PasteboardWire

// Writes, additions, hand-overs and reclaims.
extension Walker {
    mutating func write(as peer: PeerID) -> String {
        let handle = chance(25) ? chance(90) ? written[peer]?.last : handles.randomElement(using: &random) : nil
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
        leaving.insert(Stream(peer: peer, id: stream))
        finishWrite(stream, of: peer, on: nil, adds: true, keepsPromises: true)
        return "hand over"
    }

    /// Writes under a change count that a board had, or that one of another broker may have had.
    private mutating func reclaim(as peer: PeerID, _ terms: ContentTerms?, isOwn: Bool = false) -> String {
        guard peers.contains(peer) else { return "nothing" }
        var reclaimed = counts.suffix(6).randomElement(using: &random)
        if isOwn || chance(40), let own = counts.last(where: { $0.stream?.peer == peer }), let stream = own.stream {
            broker.send(Cancel(), on: stream.id, from: peer)
            reclaimed = own
        } else if reclaimed == nil || chance(30) {
            let board = ["one", "two", "three"].randomElement(using: &random)
            reclaimed = (nil, board, UInt64.random(in: 4_980...5_005, using: &random), chance(80) ? 76 : 77)
        }
        let stream = broker.begin(
            board: reclaimed?.board,
            terms: terms,
            reclaiming: chance(97) ? reclaimed?.changeCount : nil,
            of: reclaimed?.epoch,
            from: peer
        )
        reclaiming.insert(Stream(peer: peer, id: stream))
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
        let write = Stream(peer: peer, id: stream)
        writes.append(write)
        if !adds { boards[write] = board ?? BoardName.general }
        let count = keepsPromises ? 1 : Int.random(in: 0...3, using: &random)
        // An item that exists has the usual types already.
        let isNew = adds && chance(keepsPromises ? 20 : 90)
        let prefix = isNew ? "x\(Int.random(in: 0..<1_000, using: &random))." : ""
        for _ in 0..<count { addItem(to: stream, of: peer, prefix, isKept: keepsPromises && chance(95)) }
        if !chance(20) { broker.commit(chance(10) ? 9 : count, on: stream, from: peer) }
    }

    private mutating func terms() -> ContentTerms? {
        guard chance(25) else { return nil }
        return ContentTerms(
            concealed: chance(40) ? true : nil,
            transient: chance(30) ? true : nil,
            localOnly: chance(30) ? true : nil,
            expires: chance(30) ? .random(in: 0...60_000, using: &random) : nil,
            loads: chance(50) ? .random(in: 0...3, using: &random) : nil
        )
    }

    private mutating func addItem(to stream: UInt64, of peer: PeerID, _ prefix: String = "", isKept: Bool = false) {
        var representations: [Representation] = []
        for index in 0..<Int.random(in: 1...3, using: &random) {
            var representation = Representation(
                prefix + ["public.png", "public.utf8-plain-text", "com.example.x"][index],
                byteCount: chance(30) ? .random(in: 0...2_000, using: &random) : nil,
                kept: isKept || chance(30),
                visibility: namesTypes && chance(95)
                    ? .all : Visibility(rawValue: .random(in: 0...3, using: &random))
            )
            if chance(namesTypes ? 10 : 60), representation.provision != .kept { representation.policy = .onceAndKept }
            if chance(20) { representation.firstByteMilliseconds = .random(in: 0...20_000, using: &random) }
            representations.append(representation)
        }
        var item = Item(representations)
        item.requires = [Feature.onceAndKept.rawValue]
        broker.send(item, on: stream, from: peer)
        for representation in representations where representation.provision == .kept {
            // Many large ones would fill the pool, and then hardly any hand-over would succeed.
            let greatest = isKept ? 2_000 : 300_000
            let right = representation.byteCount.map { Int($0) } ?? .random(in: 0...greatest, using: &random)
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
        guard let write = open.randomElement(using: &random) else { return "nothing" }
        if chance(50) {
            addItem(to: write.id, of: write.peer)
        } else {
            broker.commit(1, on: write.id, from: write.peer)
        }
        return "continue a write"
    }
}
