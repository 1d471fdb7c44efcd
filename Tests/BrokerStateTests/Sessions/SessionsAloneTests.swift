import BrokerModel
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerState

/// Tests of `Sessions` without loads and peers: the results of its methods, and the work that they leave to the caller.
@Suite("Sessions without loads and peers", .pure) struct SessionsAloneTests {
    private let driver = SessionsDriver()
    private let source: Participant
    private let destination: Participant
    private let part = PublicationPart(item: 0, representation: 0)

    init() throws {
        source = try driver.participant("source", process: 1)
        destination = try driver.participant("destination", process: 2)
    }

    @Test(
        "Only the destination of a drop may load while the window is open; the session is hidden from others"
    )
    func access() throws {
        let stranger = try driver.participant("stranger", process: 3)
        try driver.register(by: destination)
        let session = try driver.begin(by: source)
        func access() -> [DropAccess] {
            [source, destination, stranger].map { driver.access(to: session, by: $0) }
        }
        #expect(access() == [.notNow, .unknown, .unknown])
        let stream = try driver.drop(session, .move, on: destination)
        #expect(access() == [.notNow, .allowed(isMove: true), .unknown])
        driver.sessions.loadBegan(part, of: session)
        try driver.send(Performed(), on: stream, by: destination)
        #expect(access() == [.notNow, .notNow, .unknown])
    }

    @Test(
        "A move is reported after its last load has ended and the destination has concluded, and then its stream ends"
    )
    func move() throws {
        try driver.register(by: destination)
        let session = try driver.begin(stream: 7, by: source)
        let stream = try driver.drop(session, .move, on: destination)
        #expect(driver.take(source).kinds.suffix(2) == [.proposal, .dropped])
        driver.sessions.loadBegan(part, of: session)
        try driver.send(Performed(), on: stream, by: destination)
        try driver.send(Conclude(), on: stream, by: destination)
        #expect(driver.take(source).isEmpty && driver.closedStreams.isEmpty)
        let publication = try #require(driver.publicationInTransfer(session))
        driver.loadEnded(part, of: session)
        let frames = driver.take(source)
        #expect(frames.kinds == [.transferred, .end])
        #expect(frames.first(Transferred.self)?.items == [0] && frames.first(Transferred.self)?.failure == nil)
        let closed = ClosedStream(peer: source.peer, stream: 7, publication: publication)
        #expect(driver.closedStreams == [closed])
        #expect(driver.counts == [0, 0, 1, 0])
    }

    @Test("If a destination leaves during a drop, the caller ends the loads, and the result waits for their end")
    func destinationLeaves() throws {
        let id = try driver.register(by: destination)
        let session = try driver.begin(by: source)
        _ = try driver.drop(session, .copy, on: destination)
        _ = driver.take(source)
        driver.sessions.loadBegan(part, of: session)
        let outcome = driver.withdrawNext(from: id)
        guard case .endsLoads(let drop) = outcome else {
            Issue.record("the loads go on")
            return
        }
        #expect(drop.session == session && drop.cause.code == .destinationGone)
        #expect(driver.take(source).isEmpty, "its loads end first")
        driver.finish(drop)
        #expect(driver.take(source).first(Transferred.self)?.failure?.code == .destinationGone)
        if driver.withdrawNext(from: id) != nil { Issue.record("it has no other session") }
        driver.sessions.remove(id, &driver.context)
        #expect(driver.closedStreams.map(\.peer) == [source.peer, destination.peer])
        #expect(driver.counts == [0, 0, 0, 0])
    }

    @Test("If a destination leaves before the drop, the caller has nothing to end")
    func destinationLeavesEarly() throws {
        let id = try driver.register(by: destination)
        let session = try driver.begin(by: source)
        var move = Move()
        move.location = Location()
        move.location?.destination = "shelf"
        try driver.send(move, of: session)
        guard case .continues? = driver.withdrawNext(from: id) else {
            Issue.record("there is no drop")
            return
        }
        let refusal = driver.take(source).first(Proposal.self)?.refusal
        #expect(refusal?.code == .destinationGone)
        #expect(driver.counts == [1, 0, 1, 0])
    }

    @Test("A drop without transfer is overdue, unless the caller reports a byte of its loads")
    func overdue() throws {
        try driver.register(by: destination)
        let session = try driver.begin(by: source)
        _ = try driver.drop(session, .copy, on: destination)
        driver.sessions.loadBegan(part, of: session)
        #expect(driver.overdue(after: 0) == nil)
        #expect(driver.overdue(after: driver.context.limits.session) == session)
        driver.sessions.bytesFlowed(session, at: driver.context.now - 1)
        guard case .continues = driver.expire(session) else {
            Issue.record("a byte has flowed")
            return
        }
        #expect(driver.overdue(after: driver.context.limits.session) == session)
        guard case .endsLoads(let drop) = driver.expire(session) else {
            Issue.record("the drop goes on")
            return
        }
        #expect(drop.cause.code == .timeout && drop.failure?.code == .timeout)
    }

    @Test("The answer to a wait closes its stream")
    func wait() throws {
        #expect(try driver.wait(for: "shelf", stream: 5, by: source) != nil)
        #expect(driver.counts == [0, 0, 0, 1])
        try driver.register(by: destination)
        #expect(driver.take(source).kinds == [.end])
        #expect(driver.closedStreams == [ClosedStream(peer: source.peer, stream: 5)])
        #expect(try driver.wait(for: "shelf", stream: 7, by: source) == nil)
        #expect(driver.closedStreams.isEmpty, "its stream was never open")
    }

    @Test("A peer that does not read is sent announcements of at most half a mebibyte")
    func announcements() {
        var announcements = Announcements(unread: 0)
        var now: UInt64 = 10_000
        func announce(_ count: UInt64) -> Bool { announcements.announce(count, at: now, delay: 500) }
        #expect(announce(600 << 10), "the first may be of any size")
        #expect(!announce(1))
        announcements.answered()
        #expect(announce(512 << 10))
        announcements.unread = 1
        now += 500
        #expect(!announce(1))
        announcements.unread = 0
        #expect(announce(1))
    }
}
