import BrokerModel
import BrokerState
import PasteboardWire

// Loads, and the answers of their sources.
extension Walker {
    mutating func load(as peer: PeerID) -> String {
        let handle = chance(20) ? handles.randomElement(using: &random) : nil
        let board = self.board()
        let credit = UInt64.random(in: 0...(1 << UInt64.random(in: 0...63, using: &random)), using: &random)
        let item: UInt32 = chance(80) ? 0 : 1
        let maximum = chance(10) ? UInt64.random(in: 0...100_000, using: &random) : nil
        let isWelcome = chance(50)
        let timeout = chance(10) ? UInt64.random(in: 0...20_000, using: &random) : nil
        let stream = broker.newStream(of: peer)
        // The load is noted before it is sent, because it may end during the call.
        openLoads.insert(Stream(peer: peer, id: stream))
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
                let match = Match(rawValue: .random(in: 0...2, using: &random))
                load.accepts.append(Accept(types.randomElement(using: &random) ?? "", match: match))
            }
        }
        broker.send(load, on: stream, from: peer)
        return "load"
    }

    /// Continues a random ask of a source, usually correctly.
    mutating func serve() -> String {
        guard let ask = asks.randomElement(using: &random) else { return "nothing" }
        let free = Int((broker.granted[ask.id] ?? 0) - (broker.moved[ask.id] ?? 0))
        // A descriptor for an ask that does not accept one would usually end the peer.
        if welcoming.contains(ask.id), chance(50) { return passDescriptor(for: ask) }
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<28:
            let count = chance(50) ? free : Int.random(in: 0...max(0, free), using: &random)
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
            let size = UInt64.random(in: 0...300_000, using: &random)
            broker.send(Answer(byteCount: size), on: ask.id, from: ask.peer)
            return "answer"
        default:
            broker.data(count: free + 1, on: ask.id, from: ask.peer)
            return "beyond the credit"
        }
    }

    private mutating func passDescriptor(for ask: Stream) -> String {
        let facts: [ReceivedDescriptor] = [.readOnlyFile, .sealedMemory(byteCount: 5_000), .unusable("a pipe")]
        var bytes: [UInt8] = []
        Answer(byteCount: .random(in: 0...6_000, using: &random)).encode(into: &bytes)
        let descriptor = facts.randomElement(using: &random)
        broker.pass(descriptor, kind: .answer, payload: bytes, on: ask.id, from: ask.peer)
        welcoming.remove(ask.id)
        return "a descriptor"
    }

    /// Cancels a write or a load, or grants credit.
    mutating func steer() -> String {
        if chance(15), let write = writes.randomElement(using: &random) {
            broker.send(Cancel(), on: write.id, from: write.peer)
            return "cancel a write"
        }
        let loads = openLoads.sorted { ($0.peer.rawValue, $0.id) < ($1.peer.rawValue, $1.id) }
        guard let load = loads.randomElement(using: &random) else { return "nothing" }
        if chance(30) {
            openLoads.remove(load)
            endedLoads.insert(load)
            broker.send(Cancel(), on: load.id, from: load.peer)
            return "cancel a load"
        }
        broker.credit(.random(in: 0...(8 << 20), using: &random), on: load.id, from: load.peer)
        return "credit"
    }
}
