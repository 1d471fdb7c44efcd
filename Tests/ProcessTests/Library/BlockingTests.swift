import TestSupport
import Testing

/// Programs whose threads wait for pasteboards. The limits of the broker end no load, so an owner that needed a thread
/// which waits for it would end the test.
@Suite(.processes) struct BlockingTests {
    @Test("An owner on the main actor is asked by other programs, and not while its own main thread waits for the data")
    func owner() throws {
        try BrokerProcess.run { broker in
            let owner = try broker.blockingPeer("owner")
            try owner.expect("own: nil")
            try owner.expect("own item: nil")
            let reader = try broker.blockingPeer("reader")
            // The first call of the owner came too late for its own program, but has set the data.
            #expect(try reader.rest() == ["asked 1, asked 2", "provided"])
            try owner.expect("finished")
            try owner.kill()
        }
    }

    @Test("More tasks than there are threads wait at once, while their program provides the data")
    func crowd() throws {
        try BrokerProcess.run { broker in
            let lines = try broker.blockingPeer("crowd").rest()
            #expect(lines == ["done"])
        }
    }
}
