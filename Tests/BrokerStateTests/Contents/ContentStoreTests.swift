import BrokerModel
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerState

/// Tests of the content store without connections and boards.
@Suite(.pure) struct ContentStoreTests {
    private var scene = ContentScene()

    @Test("A write becomes a publication with its items, and releases everything when the publication has no users")
    func lifetime() throws {
        let publication = try scene.publish([Item("public.text"), Item("public.png")])
        #expect(scene.itemCount(of: publication) == 2)
        #expect(scene.world.contents.writeCount == 0)
        scene.change { $0.contents.hold(publication, &$0.context) }
        scene.change { $0.contents.retire(publication, &$0.context) }
        #expect(scene.world.contents.publicationCount == 1)
        let found = scene.world.contents.find(publication)
        let slot = try #require(found)
        scene.change { $0.contents.release(slot, &$0.context) }
        #expect(scene.world.contents.publicationCount == 0)
        #expect(scene.world.context.accounting.total(of: .objects) == 0)
    }

    @Test("A discarded write leaves nothing, and its kept bytes are released")
    func discard() throws {
        let write = try scene.begin()
        try scene.add(Item([Representation("public.png", kept: true)]), to: write)
        let kept = try scene.change { try $0.contents.receive(500, last: false, for: write, &$0.context) }
        #expect(scene.world.context.accounting.total(of: .keptBytes) == 500)
        #expect(scene.change { $0.contents.discard(write, &$0.context) }?.stream == 3)
        #expect(scene.world.context.outbox.effects == [.closeKept(kept)])
        #expect(scene.world.context.accounting.total(of: .keptRepresentations) == 0)
        #expect(scene.world.context.accounting.total(of: .objects) == 0)
    }

    @Test("An offer counts only the items that the destination may see, and refuses a hidden item")
    func visibility() throws {
        let hidden = Item([Representation("public.png", visibility: 3)])
        let publication = try scene.publish([hidden, Item("public.text")])
        let offer = try scene.offer(publication, to: scene.stranger)
        #expect(offer.part.item == 1 && offer.visibleItem == 0 && offer.visibleCount == 1)
        let own = try scene.offer(publication, to: scene.writer)
        #expect(own.part.item == 0 && own.visibleCount == 2)
        #expect(scene.code { _ = try scene.offer(publication, to: scene.stranger) { $0.item = 1 } } == .nothingHere)
    }

    @Test("A cached representation is a promise again if its load failed, and kept bytes if it succeeded")
    func cache() throws {
        var item = Item("a.once")
        item.requires = [Feature.onceAndKept.rawValue]
        item.representations[0].policy = 1
        let publication = try scene.publish([item])
        for isWhole in [false, true] {
            let offer = try scene.offer(publication, to: scene.stranger)
            guard case .promisedOnce(scene.source) = offer.provision else {
                return #expect(Bool(false), "it is asked for once")
            }
            let kept = scene.change { $0.contents.beginCache(offer.part, of: publication, &$0.context) }
            try scene.change { try $0.contents.chargeKept(kept, for: 700, &$0.context) }
            scene.world.contents.stored(500, in: kept)
            guard case .kept(kept) = try scene.offer(publication, to: scene.stranger).provision else {
                return #expect(Bool(false), "others join")
            }
            scene.change { $0.contents.endCache(kept, offer.part, of: publication, isWhole: isWhole, &$0.context) }
            if !isWhole { scene.change { $0.contents.releaseKept([kept], &$0.context) } }
        }
        #expect(try scene.offer(publication, to: scene.stranger).byteCount == 500)
        #expect(scene.world.context.accounting.total(of: .keptBytes) == 500)
    }
}

/// A content store, a context, and a source that writes.
final class ContentScene {
    var world = World(limits: BrokerLimits(), epoch: 77)
    let source = PeerID(slot: 0, generation: 1)
    let writer = AccessContext(process: ProcessKey(pid: 1, identity: 1))
    let stranger = AccessContext(process: ProcessKey(pid: 2, identity: 1))
    private(set) var accounts: [Accounting.AccountID] = []

    init(_ configure: (inout BrokerLimits) -> Void = { _ in }) {
        var limits = BrokerLimits()
        configure(&limits)
        world = World(limits: limits, epoch: 77)
        for access in [writer, stranger] {
            guard let account = try? world.context.accounting.connect(access.process, limit: 10) else { continue }
            accounts.append(account)
        }
    }

    /// Changes the world, whose parts a method of the contents needs at once.
    func change<Result>(_ body: (inout World) throws -> Result) rethrows -> Result { try body(&world) }

    func begin() throws -> WriteID {
        try change {
            try $0.contents.beginWrite(
                to: .board("general", nil, reclaims: nil, nil),
                stream: 3,
                by: source,
                accounts[0],
                &$0.context
            )
        }
    }

    func add(_ item: Item, to write: WriteID) throws {
        try change { try $0.contents.add(item, metadata: 10, to: write, &$0.context) }
    }

    /// Writes and publishes items, with the given sizes of their kept representations.
    func publish(_ items: [Item], kept: [UInt64] = [], session: SessionID? = nil) throws -> PublicationID {
        let write = try begin()
        var counts = kept[...]
        for item in items {
            try add(item, to: write)
            for representation in item.representations where representation.provision == 1 {
                _ = try change { try $0.contents.receive(counts.popFirst() ?? 0, last: true, for: write, &$0.context) }
            }
        }
        try world.contents.check(Commit(), of: write)
        let publication = try #require(
            change { $0.contents.publish(write, by: writer, label: "source", board: "general", &$0.context) }
        )
        world.contents.setSession(session, of: publication)
        return publication
    }

    func offer(
        _ publication: PublicationID,
        to access: AccessContext,
        _ configure: (inout Load) -> Void = { _ in }
    ) throws -> Offer {
        var load = Load()
        configure(&load)
        func offer(_ world: inout World) throws -> Offer {
            try world.contents.offer(load, in: publication, to: access, world.context)
        }
        return try offer(&world)
    }

    func itemCount(of publication: PublicationID) -> Int {
        world.contents.find(publication).map { world.contents[$0].items.count } ?? 0
    }

    /// The error code with which `body` fails.
    func code(_ body: () throws -> Void) -> ErrorCode? {
        do {
            try body()
            return nil
        } catch {
            return (error as? Failure)?.code
        }
    }
}
