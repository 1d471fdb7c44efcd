import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardClient

/// A watch of one board, over any number of brokers.
@Suite(.pure) struct WatchOperationTests {
    private func registered(_ count: UInt64) -> ClientEvent {
        var registered = Registered()
        (registered.changeCount, registered.epoch) = (count, 7)
        return .registered(1, registered)
    }

    private func change(_ count: UInt64) -> Change {
        var change = Change()
        (change.changeCount, change.epoch) = (count, 7)
        return change
    }

    @Test("A watch has credit for one change, and only while its program wants one")
    func credit() {
        var watch = WatchOperation("notes")
        #expect(watch.open().credit == 0)
        #expect(!watch.isRegistered)
        #expect(watch.handle(registered(4)) == .registered)
        #expect(watch.isRegistered)
        let grants = [watch.want(), watch.want()]
        #expect(grants == [true, false])
        #expect(watch.handle(.changed(1, change(5))) == .changed(change(5)))
        #expect(watch.want() == true)
    }

    @Test("A watch that is opened again continues after the last change, with the credit that is wanted")
    func again() {
        var watch = WatchOperation("notes")
        _ = watch.want()
        let first = watch.open()
        #expect(first.board == "notes" && first.sinceChangeCount == nil && first.credit == 1)
        #expect(watch.want() == false)
        // Lost before a change: the next broker reports changes after the state in which the watch began.
        _ = watch.handle(registered(4))
        let second = watch.open()
        #expect(second.sinceChangeCount == 4 && second.sinceEpoch == 7 && second.credit == 1)
        #expect(!watch.isRegistered)
        _ = watch.handle(.changed(1, change(9)))
        let third = watch.open()
        #expect(third.sinceChangeCount == 9 && third.sinceEpoch == 7 && third.credit == 0)
        #expect(watch.want() == true)
    }

    @Test("A watch begins after the change count that its program knows, and fails as the broker says")
    func since() {
        var watch = WatchOperation("notes", sinceChangeCount: 3, epoch: 2)
        let request = watch.open()
        #expect(request.sinceChangeCount == 3 && request.sinceEpoch == 2)
        #expect(request.requires == [Feature.watches.rawValue])
        _ = watch.handle(registered(4))
        #expect(watch.open().sinceChangeCount == 3)
        let failure = Failure(.limitExceeded, "too many watches")
        #expect(watch.handle(.failed(1, failure)) == .failed(failure))
        #expect(watch.handle(.askCredit(2)) == .none)
    }
}
