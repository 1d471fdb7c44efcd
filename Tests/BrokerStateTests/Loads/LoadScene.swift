import PasteboardWire
import Testing

@testable import BrokerModel
@testable import BrokerState

/// Loads of one promised item, with a source and a destination in two processes.
final class LoadScene {
    let store: ContentScene
    var loads = Loads()
    let source = PeerID(slot: 0, generation: 1)
    let destination = PeerID(slot: 1, generation: 1)
    let publication: PublicationID
    private var sent: [(peer: PeerID, frame: Frame)] = []

    var world: World {
        _read { yield store.world }
        _modify { yield &store.world }
    }

    /// - Parameter keptCount: the size of the item's bytes if the item is kept; nil makes a promise.
    init(places: UInt32? = nil, session: SessionID? = nil, keptCount: UInt64? = nil) {
        store = ContentScene()
        let item = Item([Representation("public.text", kept: keptCount != nil)])
        // Every test fails if its scene cannot be built.
        publication =
            (try? store.publish([item], kept: keptCount.map { [$0] } ?? [], session: session))
            ?? PublicationID(rawValue: 0)
        for (peer, access) in [(source, store.writer), (destination, store.stranger)] {
            loads.connected(peer, access.process, store.world.context)
            loads.greeted(peer, name: "p", maximumStreams: places, passesDescriptors: true, store.world.context)
        }
        clearFrames()
    }

    /// Begins a load, and returns the stream of its ask.
    @discardableResult
    func begin(stream: UInt64 = 5) throws -> UInt64 {
        let before = Set(loads.ids)
        let terms = LoadTerms(
            destination: destination,
            stream: stream,
            account: store.accounts[1],
            credit: 1 << 30,
            maximumByteCount: nil,
            timeoutMilliseconds: nil,
            isDescriptorWelcome: true,
            isInPlaceWelcome: false
        )
        let offer = try store.offer(publication, to: store.stranger)
        try loads.begin(terms, offer, in: &store.world)
        return try #require(loads.ids.first { !before.contains($0) }).askStream
    }

    func data(_ count: Int, last: Bool = false, on ask: UInt64) throws -> RelayVerdict {
        try loads.receive(on: ask, count: count, last: last, from: source, in: &store.world)
    }

    func handle<Message: WireMessage>(_ message: Message, on ask: UInt64) throws {
        try loads.handle(Message.kind, on: ask, message.encoded.span, from: source, isLink: false, in: &store.world)
    }

    // MARK: Results

    private func collect() { sent += store.world.context.takeFrames() }

    func clearFrames() {
        collect()
        sent = []
    }

    func frames(to peer: PeerID) -> [Frame] {
        collect()
        return sent.filter { $0.peer == peer }.map(\.frame)
    }

    func phase(_ ask: UInt64) -> String {
        guard let slot = loads.loadTable.find(LoadID(askStream: ask)) else { return "released" }
        switch loads.loadTable[slot].phase {
        case .queued: return "queued"
        case .asked: return "asked"
        case .flowing: return "flowing"
        case .passing: return "passing"
        case .delivering: return "delivering"
        }
    }

    func takeEvents() -> [String] {
        var events: [String] = []
        while let event = loads.nextEvent() {
            switch event {
            case .ended(let session, _, let failure):
                let code = failure.map { ": \($0.code)" } ?? ""
                events.append("ended in \(session.slot).\(session.generation)\(code)")
            case .lost(let session, _, _): events.append("lost in \(session.slot).\(session.generation)")
            case .counted(_, _, let isUsed): events.append(isUsed ? "used" : "given back")
            }
        }
        return events
    }
}
