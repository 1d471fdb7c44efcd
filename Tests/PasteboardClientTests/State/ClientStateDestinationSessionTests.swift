import PasteboardClient
import PasteboardWire
import TestSupport
import Testing

/// Sessions at a client's destinations.
@Suite(.pure) struct ClientStateDestinationSessionTests {
    private let visit: UInt64 = 1 << 32 | 1 << 31 | 6

    @Test(
        "Frames for an exited session are dropped, and so is one that crossed with the exit",
        arguments: [false, true]
    )
    func late(isDropped: Bool) throws {
        var harness = try StateHarness()
        let destination = try harness.destination()
        _ = try harness.visit(visit, at: destination)
        if isDropped { _ = try harness.broker(Perform(), stream: visit) }
        harness.state.leave(visit)
        harness.state.leave(visit)
        #expect(harness.sent().map(\.kind) == [.cancel])
        for kind in [FrameKind.item, .enter, .update, .exit, .perform, .end, .error] {
            #expect(try harness.broker(StateHarness.emptyFrame(kind, stream: visit)) == nil)
        }
        #expect(try harness.visit(visit, at: destination) == nil)
        #expect(try harness.visit(visit + 2, at: destination)?.summary == "session \(visit + 2)")
    }

    @Test("The most recently exited session is remembered, however many there were")
    func manyLeft() throws {
        var harness = try StateHarness()
        let destination = try harness.destination()
        for number in UInt64(0)..<1000 {
            _ = try harness.visit(visit + 2 * number, at: destination)
            harness.state.leave(visit + 2 * number)
            #expect(try harness.visit(visit + 2 * number, at: destination) == nil)
        }
    }

    @Test("A session for an unregistered destination is dropped, and the sessions there continue to their end")
    func givenUp() throws {
        var harness = try StateHarness()
        let destination = try harness.destination()
        _ = try harness.visit(visit, at: destination)
        harness.state.cancel(destination)
        #expect(try harness.visit(visit + 2, at: destination) == nil)
        #expect(try harness.broker(Exit(), stream: visit)?.summary == "left \(visit)")
        #expect(try harness.broker(End(), stream: visit)?.summary == "ended \(visit)")
    }

    @Test("A session on a stream that is not a destination violates the protocol")
    func nowhere() throws {
        for wrong in 0..<4 {
            var harness = try StateHarness()
            let list = try harness.state.open(List())
            let unregistered = try harness.state.open(Destination())
            let stream: UInt64? = [nil, list, unregistered, unregistered + 2][wrong]
            var session = Session()
            session.destination = stream
            #expect(throws: Failure.self) { try harness.broker(session, stream: visit) }
        }
    }

    @Test("No stream is both a session and an ask")
    func askAndSession() throws {
        var harness = try StateHarness()
        let destination = try harness.destination()
        _ = try harness.ask(visit, credit: 1)
        #expect(throws: Failure.self) { try harness.visit(visit, at: destination) }
        var other = try StateHarness()
        _ = try other.visit(visit, at: try other.destination())
        #expect(throws: Failure.self) { try other.ask(visit, credit: 1) }
    }

    @Test("A session has no more items than a publication may have, however many announcements there are")
    func items() throws {
        var harness = try StateHarness()
        let destination = try harness.destination()
        for _ in 0..<WireLimits.items {
            #expect(try harness.visit(visit, at: destination) != nil)
            #expect(try harness.broker(Item(), stream: visit) != nil)
        }
        #expect(throws: Failure.self) { try harness.broker(Item(), stream: visit) }
    }

    @Test("Reports of a drop are sent to a broker that accepts them, not to an older one", arguments: [false, true])
    func reports(isTaken: Bool) throws {
        var harness = try StateHarness(welcomed: false)
        var welcome = Welcome.standard()
        if isTaken { welcome.features = [Feature.dropReports.rawValue] }
        _ = try harness.broker(welcome, stream: 0)
        _ = try harness.visit(visit, at: try harness.destination())
        _ = try harness.broker(Perform(), stream: visit)
        _ = harness.sent()
        harness.state.report(Progress(), on: visit)
        #expect(harness.sent().map(\.kind) == (isTaken ? [.progress] : []))
    }

    @Test("Frames of a destination for a session that has ended are not sent")
    func over() throws {
        var harness = try StateHarness()
        let destination = try harness.destination()
        _ = try harness.visit(visit, at: destination)
        harness.state.propose(Proposal(), on: visit)
        harness.state.exit(visit)
        harness.state.performed(Performed(), on: visit)
        harness.state.conclude(Conclude(), on: visit)
        #expect(harness.sent().map(\.kind) == [.proposal, .exit, .performed, .conclude])
        _ = try harness.broker(End(), stream: visit)
        harness.state.cancel(destination)
        _ = harness.sent()
        harness.state.propose(Proposal(), on: visit)
        harness.state.exit(visit)
        harness.state.performed(Performed(), on: visit)
        harness.state.conclude(Conclude(), on: visit)
        harness.state.leave(visit)
        #expect(harness.sent().isEmpty)
    }

    @Test(
        "A drop is not reported as performed before the queued loads have begun",
        arguments: [false, true]
    )
    func performed(isCancelled: Bool) throws {
        var harness = try StateHarness(maximumStreams: 1)
        _ = try harness.visit(visit, at: try harness.destination())
        var load = Load()
        load.handle = 7
        let loads = try (0..<3).map { _ in try harness.state.open(load) }
        harness.state.performed(Performed(), on: visit)
        // A load of other contents: the report does not wait for it.
        let later = try harness.state.open(Load())
        #expect(harness.sent().map(\.kind) == [.load])
        _ = try harness.broker(Failure(.nothingHere, ""), stream: loads[0])
        #expect(harness.sent().map(\.kind) == [.load])
        if isCancelled {
            harness.state.cancel(loads[2])
            #expect(harness.sent().map(\.kind) == [.performed])
        } else {
            harness.state.cancel(loads[1])
            #expect(harness.sent().map(\.kind) == [.cancel, .load, .performed])
        }
        harness.state.cancel(later)
        #expect(harness.sent().isEmpty)
    }

    @Test("No answer is pending for a destination or its sessions, and both end with the connection")
    func lost() throws {
        var harness = try StateHarness()
        let destination = try harness.destination()
        _ = try harness.visit(visit, at: destination)
        _ = try harness.visit(visit + 2, at: destination)
        #expect(!harness.state.isAwaiting)
        let lost = harness.state.connectionLost(Failure(.brokerUnavailable, ""))
        #expect(lost.streams == [destination] && lost.asks.isEmpty)
        #expect(lost.destinationSessions == [visit, visit + 2])
        #expect(harness.state.connectionLost(Failure(.brokerUnavailable, "")).destinationSessions.isEmpty)
        #expect(try harness.broker(End(), stream: visit) == nil)
    }

    @Test("A kind that must be understood ends the session on both sides")
    func unknown() throws {
        var harness = try StateHarness()
        _ = try harness.visit(visit, at: try harness.destination())
        let frame = StateHarness.emptyFrame(rawKind: 99, stream: visit, flags: .mustUnderstand)
        #expect(try harness.broker(frame)?.summary == "failed \(visit) version-mismatch")
        #expect(harness.sent().map(\.kind) == [.cancel])
        #expect(try harness.broker(Update(), stream: visit) == nil)
    }
}
