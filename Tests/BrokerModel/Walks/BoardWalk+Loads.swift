import BrokerState
import PasteboardWire

// Loads, and the answers of their sources.
extension BoardWalk {
    mutating func load(as peer: PeerID) -> String {
        let handle = chance(20) ? choices.element(of: handles) : nil
        let board = self.board()
        let credit = choices.number(in: 0...(1 << (choices.number(in: 0...63) as UInt64))) as UInt64
        let item: UInt32 = chance(80) ? 0 : 1
        let maximum = chance(10) ? (choices.number(in: 0...100_000) as UInt64) : nil
        let isWelcome = chance(50)
        let timeout = chance(10) ? (choices.number(in: 0...20_000) as UInt64) : nil
        let stream = broker.newStream(of: peer)
        // The load is noted before it is sent, because it may end during the call.
        openLoads.insert(WalkStream(peer: peer, id: stream))
        var load = Load()
        load.handle = handle
        load.board = board
        load.item = item
        load.credit = credit
        load.maximumByteCount = maximum
        load.timeoutMilliseconds = timeout
        load.descriptorWelcome = isWelcome
        if chance(10) { load.isAutomatic = true }
        if namesTypes {
            let types = [
                "public.png", "public.utf8-plain-text", "com.example.x", "public.UTF8-plain-text", "public.text",
            ]
            for _ in 0..<(chance(90) ? 1 : 2) {
                let match = Match(rawValue: choices.number(in: 0...2))
                load.accepts.append(Accept(choices.element(of: types) ?? "", match: match))
            }
        }
        broker.send(load, on: stream, from: peer)
        return "load"
    }

    /// Continues a random ask of a source, usually correctly.
    mutating func serve() -> String {
        guard let ask = choices.element(of: asks) else { return "nothing" }
        let free = Int((broker.granted[ask.id] ?? 0) - (broker.moved[ask.id] ?? 0))
        // A descriptor for an ask that does not accept one would usually end the peer.
        if welcoming.contains(ask.id), chance(50) { return passDescriptor(for: ask) }
        switch choices.number(in: 0..<40) {
        case 0..<28:
            let count = chance(50) ? free : choices.number(in: 0...max(0, free))
            broker.data(count: min(count, 1 << 20), last: chance(30), on: ask.id, from: ask.peer)
            return "data"
        case 28..<32:
            let count = broker.moved[ask.id] ?? 0
            broker.send(End(byteCount: chance(20) ? count + 1 : count), on: ask.id, from: ask.peer)
            return "end"
        case 32..<34:
            broker.send(Failure(.sourceFailed, "no"), on: ask.id, from: ask.peer)
            return "source's error"
        case 34..<37:
            broker.send(Progress(), on: ask.id, from: ask.peer)
            return "progress"
        case 37..<39:
            let size = (choices.number(in: 0...300_000) as UInt64)
            broker.send(Answer(byteCount: size), on: ask.id, from: ask.peer)
            return "answer"
        default:
            broker.data(count: free + 1, on: ask.id, from: ask.peer)
            return "beyond the credit"
        }
    }

    private mutating func passDescriptor(for ask: WalkStream) -> String {
        let facts: [ReceivedDescriptor] = [.readOnlyFile, .sealedMemory(byteCount: 5_000), .unusable("a pipe")]
        let bytes = Answer(byteCount: choices.number(in: 0...6_000)).encoded
        let descriptor = choices.element(of: facts)
        broker.pass(descriptor, kind: .answer, payload: bytes, on: ask.id, from: ask.peer)
        welcoming.remove(ask.id)
        return "a descriptor"
    }

    /// Cancels a write or a load, or grants credit.
    mutating func steer() -> String {
        if chance(15), let write = choices.element(of: writes) {
            broker.send(Cancel(), on: write.id, from: write.peer)
            return "cancel a write"
        }
        let loads = openLoads.sorted { ($0.peer.rawValue, $0.id) < ($1.peer.rawValue, $1.id) }
        guard let load = choices.element(of: loads) else { return "nothing" }
        if chance(30) {
            openLoads.remove(load)
            endedLoads.insert(load)
            broker.send(Cancel(), on: load.id, from: load.peer)
            return "cancel a load"
        }
        broker.credit(choices.number(in: 0...(8 << 20)), on: load.id, from: load.peer)
        return "credit"
    }
}
