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
        #expect(scene.contents.writeCount == 0)
        scene.contents.hold(publication, &scene.context)
        scene.contents.retire(publication, &scene.context)
        #expect(scene.contents.publicationCount == 1)
        let found = scene.contents.find(publication)
        let slot = try #require(found)
        scene.contents.release(slot, &scene.context)
        #expect(scene.contents.publicationCount == 0)
        #expect(scene.context.accounting.total(of: .objects) == 0)
    }

    @Test("A discarded write leaves nothing, and its kept bytes are released")
    func discard() throws {
        let write = try scene.begin()
        try scene.add(Item([Representation("public.png", kept: true)]), to: write)
        let kept = try scene.contents.receive(500, last: false, for: write, &scene.context)
        #expect(scene.context.accounting.total(of: .keptBytes) == 500)
        #expect(scene.contents.discard(write, &scene.context)?.stream == 3)
        #expect(scene.context.outbox.effects == [.closeKept(kept)])
        #expect(scene.context.accounting.total(of: .keptRepresentations) == 0)
        #expect(scene.context.accounting.total(of: .objects) == 0)
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
            let kept = scene.contents.beginCache(offer.part, of: publication, &scene.context)
            try scene.contents.chargeKept(kept, for: 700, &scene.context)
            scene.contents.stored(500, in: kept)
            guard case .kept(kept) = try scene.offer(publication, to: scene.stranger).provision else {
                return #expect(Bool(false), "others join")
            }
            scene.contents.endCache(kept, offer.part, of: publication, isWhole: isWhole, &scene.context)
            if !isWhole { scene.contents.releaseKept([kept], &scene.context) }
        }
        #expect(try scene.offer(publication, to: scene.stranger).byteCount == 500)
        #expect(scene.context.accounting.total(of: .keptBytes) == 500)
    }
}

/// A content store, a context, and a source that writes.
final class ContentScene {
    var contents = ContentStore(epoch: 77)
    var context = BrokerContext(limits: BrokerLimits(), epoch: 77)
    let source = PeerID(slot: 0, generation: 1)
    let writer = AccessContext(process: ProcessKey(pid: 1, identity: 1))
    let stranger = AccessContext(process: ProcessKey(pid: 2, identity: 1))
    private(set) var accounts: [Accounting.AccountID] = []

    init(_ configure: (inout BrokerLimits) -> Void = { _ in }) {
        var limits = BrokerLimits()
        configure(&limits)
        context = BrokerContext(limits: limits, epoch: 77)
        for access in [writer, stranger] {
            guard let account = try? context.accounting.connect(access.process, limit: 10) else { continue }
            accounts.append(account)
        }
    }

    func begin() throws -> WriteID {
        try contents.beginWrite(to: .board("general", nil, reclaims: nil), stream: 3, by: source, accounts[0], &context)
    }

    func add(_ item: Item, to write: WriteID) throws {
        try contents.add(item, metadata: 10, to: write, &context)
    }

    /// Writes and publishes items, with the given sizes of their kept representations.
    func publish(_ items: [Item], kept: [UInt64] = [], session: SessionID? = nil) throws -> PublicationID {
        let write = try begin()
        var counts = kept[...]
        for item in items {
            try add(item, to: write)
            for representation in item.representations where representation.provision == 1 {
                _ = try contents.receive(counts.popFirst() ?? 0, last: true, for: write, &context)
            }
        }
        try contents.check(Commit(), of: write)
        let publication = try #require(contents.publish(write, by: writer, label: "source", board: "general", &context))
        contents.setSession(session, of: publication)
        return publication
    }

    func offer(
        _ publication: PublicationID,
        to access: AccessContext,
        _ configure: (inout Load) -> Void = { _ in }
    ) throws -> Offer {
        var load = Load()
        configure(&load)
        return try contents.offer(load, in: publication, to: access, context)
    }

    func itemCount(of publication: PublicationID) -> Int {
        contents.find(publication).map { contents[$0].items.count } ?? 0
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
