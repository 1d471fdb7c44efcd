import PasteboardClient
import PasteboardWire
import TestSupport
import Testing

/// Drag sessions of a client.
@Suite(.pure) struct ClientStateSessionTests {
    @Test("The frames of a session are sent in the order of the calls, whatever else is queued")
    func order() throws {
        var harness = try StateHarness()
        let stream = try harness.state.open(Drag())
        try harness.state.add(Item(), to: stream)
        #expect(harness.state.dataHeader(on: stream, count: 3, last: true)?.flags == .last)
        harness.state.commit(stream, itemCount: 1)
        harness.state.begin(stream)
        try harness.state.move(stream, to: Location(), sequence: 1)
        #expect(harness.sent().map(\.kind) == [.drag, .item, .commit, .begin, .move])
    }

    @Test("A session cannot begin before its commit, and cannot move or drop again after the drop")
    func wishes() throws {
        var harness = try StateHarness()
        let stream = try harness.state.open(Drag())
        harness.state.begin(stream)
        try harness.state.move(stream, to: nil, sequence: 1)
        harness.state.drop(stream)
        #expect(harness.sent().map(\.kind) == [.drag])
        harness.state.commit(stream, itemCount: 0)
        harness.state.commit(stream, itemCount: 0)
        try harness.state.add(Item(), to: stream)
        #expect(harness.sent().map(\.kind) == [.commit])
        harness.state.drop(stream)
        harness.state.drop(stream)
        try harness.state.move(stream, to: nil, sequence: 2)
        #expect(harness.sent().map(\.kind) == [.drop])
        harness.state.cancel(stream)
        harness.state.begin(stream)
        #expect(harness.sent().map(\.kind) == [.cancel])
    }

    @Test("A location that does not fit into a frame is refused, and nothing of it is sent")
    func tooLong() throws {
        var harness = try StateHarness()
        let stream = try harness.session()
        var location = Location()
        location.destination = String(repeating: "x", count: WireLimits.controlLength)
        let failure = #expect(throws: Failure.self) {
            try harness.state.move(stream, to: location, sequence: 1)
        }
        #expect(failure?.code == .limitExceeded)
        #expect(harness.sent().isEmpty && !harness.state.isAwaiting)
    }

    @Test("An answer is pending from a move to its proposal, and from the drop to the end")
    func awaiting() throws {
        var harness = try StateHarness()
        let stream = try harness.state.open(Drag())
        harness.state.commit(stream, itemCount: 0)
        try harness.state.move(stream, to: nil, sequence: 1)
        _ = try harness.broker(Committed(), stream: stream)
        #expect(harness.state.isAwaiting)
        try harness.propose(1, on: stream)
        #expect(!harness.state.isAwaiting)

        harness.state.drop(stream)
        #expect(harness.state.isAwaiting)
        var dropped = Dropped()
        dropped.operation = .copy
        _ = try harness.broker(dropped, stream: stream)
        #expect(harness.state.isAwaiting)
        _ = try harness.broker(End(), stream: stream)
        #expect(!harness.state.isAwaiting)
    }

    @Test("A move waits for the answer to the one before, the last one of several is sent, and then the drop")
    func questions() throws {
        var harness = try StateHarness()
        let stream = try harness.session()
        for sequence: UInt64 in 1...3 { try harness.state.move(stream, to: Location(), sequence: sequence) }
        #expect(try harness.sent().map { try Move(decoding: $0.payload).sequence } == [1])
        harness.state.drop(stream)
        try harness.state.move(stream, to: Location(), sequence: 4)
        #expect(harness.sent().isEmpty && harness.state.isAwaiting)
        try harness.propose(1, on: stream)
        #expect(try harness.sent().map { try Move(decoding: $0.payload).sequence } == [3])
        try harness.propose(3, on: stream)
        #expect(harness.sent().map(\.kind) == [.drop])
    }

    @Test("An idle session is no longer counted once it has ended", arguments: 0..<3)
    func standing(how: Int) throws {
        var harness = try StateHarness()
        let stream = try harness.session()
        switch how {
        case 0: harness.state.cancel(stream)
        case 1: _ = try harness.broker(Failure(.timeout, ""), stream: stream)
        default: _ = harness.state.connectionLost(Failure(.brokerUnavailable, ""))
        }
        guard how < 2 else { return #expect(!harness.state.isAwaiting) }
        _ = try harness.state.open(List())
        #expect(harness.state.isAwaiting)
    }
}

extension StateHarness {
    fileprivate mutating func propose(_ sequence: UInt64, on stream: UInt64) throws {
        var proposal = Proposal()
        proposal.sequence = sequence
        #expect(try broker(proposal, stream: stream)?.summary == "proposed \(stream)")
    }
}
