import PasteboardClient
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct DestinationSessionTests {
    private static func session(items: UInt32?, version: UInt64? = 1, allowsMove: Bool? = nil) -> Session {
        var session = Session()
        session.handle = 7
        session.version = version
        session.itemCount = items
        session.allowsMove = allowsMove
        return session
    }

    private static func location(_ row: UInt32) -> Location {
        var location = Location()
        location.destination = "desk"
        location.indexPath = [0, row]
        return location
    }

    private static func summary(_ step: DestinationSession.Step) -> String {
        switch step {
        case .none: "none"
        case .propose(let sequence, let location, let isEntry):
            "\(isEntry ? "entry" : "update") \(sequence) at \(location.indexPath)"
        case .exited: "exited"
        case .perform(let operation, let location): "\(operation) at \(location.indexPath)"
        case .over(.cancelled): "over"
        case .over(.transferred(let operation)): "over \(operation)"
        case .over(.failed(let failure)): "over \(failure.code)"
        }
    }

    @Test("Each event has its effect and the location of the session")
    func steps() {
        var visit = DestinationSession(6, Self.session(items: 1))
        #expect(visit.stream == 6 && visit.handle == 7 && visit.location == nil)
        var enter = Enter()
        enter.sequence = 1
        enter.location = Self.location(2)
        var update = Update()
        update.sequence = 2
        update.location = Self.location(3)
        var perform = Perform()
        perform.operation = .move
        #expect(Self.summary(visit.handle(.item(6, Item()))) == "none")
        #expect(Self.summary(visit.handle(.entered(6, enter))) == "entry 1 at [0, 2]")
        #expect(Self.summary(visit.handle(.updated(6, update))) == "update 2 at [0, 3]")
        #expect(visit.location == Self.location(3))
        #expect(Self.summary(visit.handle(.left(6, Exit()))) == "exited")
        #expect(visit.location == nil)
        #expect(Self.summary(visit.handle(.entered(6, enter))) == "entry 1 at [0, 2]")
        #expect(!visit.isDropped)
        #expect(Self.summary(visit.handle(.perform(6, perform))) == "move at [0, 2]")
        #expect(visit.isDropped)
        #expect(Self.summary(visit.handle(.perform(6, perform))) == "none")
        #expect(Self.summary(visit.handle(.ended(6, End()))) == "over")
        #expect(Self.summary(visit.handle(.failed(6, Failure(.sourceGone, "")))) == "over source-gone")
        var transferred = Transferred()
        transferred.operation = .move
        #expect(Self.summary(visit.handle(.transferred(6, transferred))) == "none")
        #expect(Self.summary(visit.handle(.ended(6, End()))) == "over move")
        transferred.failure = Failure(.timeout, "")
        _ = visit.handle(.transferred(6, transferred))
        #expect(Self.summary(visit.handle(.ended(6, End()))) == "over timeout")
    }

    @Test("Items are added after the existing ones, as many as were announced")
    func items() {
        var visit = DestinationSession(6, Self.session(items: 2, allowsMove: true))
        _ = visit.handle(.item(6, Item()))
        #expect(!visit.isComplete)
        _ = visit.handle(.item(6, Item()))
        _ = visit.handle(.item(6, Item()))
        #expect(visit.isComplete && visit.items.count == 2)
        _ = visit.handle(.session(6, Self.session(items: 3, version: 2)))
        #expect(!visit.isComplete && visit.version == 2 && visit.allowsMove)
        _ = visit.handle(.item(6, Item()))
        #expect(visit.isComplete)
        _ = visit.handle(.session(6, Self.session(items: 1, version: 1, allowsMove: false)))
        #expect(visit.itemCount == 3 && visit.version == 2 && !visit.allowsMove)
    }

    @Test("There are never more items than a session may have, however many are announced")
    func tooMany() {
        var visit = DestinationSession(6, Self.session(items: .max, version: nil))
        #expect(visit.itemCount == WireLimits.items && visit.version == 1)
        _ = visit.handle(.session(6, Self.session(items: .max, version: .max)))
        #expect(visit.itemCount == WireLimits.items)
        for _ in 0..<WireLimits.items + 10 { _ = visit.handle(.item(6, Item())) }
        #expect(visit.items.count == WireLimits.items)
    }
}
