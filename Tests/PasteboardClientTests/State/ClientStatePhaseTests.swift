import PasteboardClient
import PasteboardWire
import TestSupport
import Testing

/// Every frame of the broker in every phase of a client's stream.
@Suite(.pure) struct ClientStatePhaseTests {
    enum Phase: String, CaseIterable {
        case load, answeredLoad, write, committing, publication, list, listing, clear, cleared, status, stop
        case drag, offering, session, moving, lifting, dropping, transferred, refused, addition, adding, added
        case destination, registered, watch, watching, createBoard, board
        case ask, announced, inside, left, performing

        var accepted: Set<FrameKind> {
            switch self {
            case .load: [.answer, .progress, .error]
            case .answeredLoad: [.data, .progress, .end, .error]
            case .write: [.error]
            case .committing: [.committed, .error]
            case .publication: [.end, .error]
            case .list: [.contents, .error]
            case .listing: [.item, .end, .error]
            case .clear: [.committed, .error]
            case .cleared: [.end, .error]
            case .status: [.statusEntry, .end, .error]
            case .stop: [.end, .error]
            case .drag, .addition: [.error]
            case .offering, .adding: [.committed, .error]
            case .session: [.exit, .error]
            case .moving: [.proposal, .exit, .error]
            case .lifting: [.exit, .dropped, .error]
            case .dropping: [.transferred, .end, .error]
            case .transferred, .refused, .added: [.end, .error]
            case .destination: [.registered, .error]
            case .registered: [.error]
            case .watch, .createBoard: [.registered, .error]
            case .watching: [.change, .error]
            case .board: [.end, .error]
            case .ask: [.credit, .cancel, .error]
            case .announced, .inside, .left: [.session, .item, .enter, .update, .exit, .perform, .end, .error]
            case .performing: [.transferred, .end, .error]
            }
        }

        func enter(_ harness: inout StateHarness) throws -> UInt64 {
            switch self {
            case .load: return try harness.state.open(Load())
            case .answeredLoad: return try harness.answeredLoad()
            case .write: return try harness.state.open(Write())
            case .committing:
                let stream = try harness.state.open(Write())
                harness.state.commit(stream, itemCount: 0)
                return stream
            case .publication: return try harness.publication()
            case .list: return try harness.state.open(List())
            case .listing:
                let stream = try harness.state.open(List())
                _ = try harness.broker(Contents(), stream: stream)
                return stream
            case .clear: return try harness.state.open(Clear())
            case .cleared:
                let stream = try harness.state.open(Clear())
                _ = try harness.broker(Committed(), stream: stream)
                return stream
            case .status: return try harness.state.open(Status())
            case .stop: return try harness.state.open(Stop())
            case .drag: return try harness.state.open(Drag())
            case .offering:
                let stream = try harness.state.open(Drag())
                harness.state.commit(stream, itemCount: 0)
                return stream
            case .session: return try harness.session()
            case .moving:
                let stream = try harness.session()
                try harness.state.move(stream, to: nil, sequence: 1)
                _ = harness.sent()
                return stream
            case .lifting:
                let stream = try harness.session()
                harness.state.drop(stream)
                return stream
            case .dropping: return try harness.dropped(.copy)
            case .transferred:
                let stream = try harness.dropped(.move)
                _ = try harness.broker(Transferred(), stream: stream)
                return stream
            case .refused: return try harness.dropped(.forbidden)
            case .addition: return try harness.addition()
            case .adding:
                let stream = try harness.addition()
                harness.state.commit(stream, itemCount: 0)
                return stream
            case .added:
                let stream = try Phase.adding.enter(&harness)
                _ = try harness.broker(Committed(), stream: stream)
                return stream
            case .destination: return try harness.state.open(Destination())
            case .registered: return try harness.destination()
            case .watch, .watching:
                var watch = Watch()
                watch.credit = 1
                let stream = try harness.state.open(watch)
                if self == .watching { _ = try harness.broker(Registered(), stream: stream) }
                return stream
            case .createBoard, .board:
                let stream = try harness.state.open(CreateBoard())
                if self == .board { _ = try harness.broker(Registered(), stream: stream) }
                return stream
            case .ask:
                _ = try harness.ask(1 << 32 | 6, credit: 0)
                return 1 << 32 | 6
            case .announced, .inside, .left, .performing:
                let visit: UInt64 = 1 << 32 | 1 << 31 | 6
                _ = try harness.visit(visit, at: try harness.destination())
                if self == .inside || self == .left { _ = try harness.broker(Enter(), stream: visit) }
                if self == .left { _ = try harness.broker(Exit(), stream: visit) }
                if self == .performing { _ = try harness.broker(Perform(), stream: visit) }
                return visit
            }
        }
    }

    @Test(
        "An expected frame is an event, any other ends the connection",
        .tags(.f09),
        arguments: Phase.allCases,
        FrameKind.allCases
    )
    func fits(phase: Phase, kind: FrameKind) throws {
        var harness = try StateHarness()
        let stream = try phase.enter(&harness)
        let frame = StateHarness.emptyFrame(kind, stream: stream, flags: kind == .data ? .last : [])
        guard phase.accepted.contains(kind) else {
            let failure = #expect(throws: Failure.self) { try harness.broker(frame) }
            #expect(failure?.code == .protocolViolation)
            return
        }
        let answer = try harness.broker(frame)
        // An empty credit grants nothing.
        guard kind != .credit else { return #expect(answer == nil) }
        let event = try #require(answer)
        #expect(event.stream == stream)
        #expect(event.isEnd == [.data, .end, .error, .cancel].contains(kind))
    }

    @Test("A message that does not decode is a violation, and its stream ends with the connection")
    func malformed() throws {
        for phase in Phase.allCases {
            for kind in phase.accepted where kind != .data {
                var harness = try StateHarness()
                let stream = try phase.enter(&harness)
                let frame = StateHarness.malformedFrame(kind, stream: stream)
                let failure = #expect(throws: Failure.self, "\(phase), \(kind)") { try harness.broker(frame) }
                #expect(failure?.code == .protocolViolation)
                let lost = harness.state.connectionLost(Failure(.protocolViolation, ""))
                #expect((lost.streams + lost.asks + lost.destinationSessions).contains(stream), "\(phase), \(kind)")
            }
        }
    }

    @Test(
        "Frames for a stream that has ended are dropped",
        arguments: Phase.allCases.prefix { $0 != .ask },
        FrameKind.allCases
    )
    func late(phase: Phase, kind: FrameKind) throws {
        var harness = try StateHarness()
        let stream = try phase.enter(&harness)
        harness.state.cancel(stream)
        #expect(try harness.broker(StateHarness.emptyFrame(kind, stream: stream)) == nil)
    }

    @Test("Frames for a stream that never existed violate the protocol", arguments: FrameKind.allCases)
    func foreign(kind: FrameKind) throws {
        var harness = try StateHarness()
        let stream = try harness.state.open(List())
        #expect(throws: Failure.self) {
            try harness.broker(StateHarness.emptyFrame(kind, stream: stream + 2))
        }
    }

    @Test("A write sends items and bytes until its commit, and nothing after")
    func writing() throws {
        var harness = try StateHarness()
        let stream = try harness.state.open(Write())
        try harness.state.add(Item(), to: stream)
        #expect(harness.state.dataHeader(on: stream, count: 300 << 10, last: true)?.flags == [])
        #expect(harness.state.dataHeader(on: stream, count: 0, last: true)?.flags == .last)
        harness.state.commit(stream, itemCount: 1)
        try harness.state.add(Item(), to: stream)
        harness.state.commit(stream, itemCount: 1)
        #expect(harness.state.dataHeader(on: stream, count: 1, last: true) == nil)
        #expect(harness.sent().map(\.kind) == [.write, .item, .commit])
    }

    @Test("A listing has no more items than a publication may have")
    func items() throws {
        var harness = try StateHarness()
        let stream = try Phase.listing.enter(&harness)
        for _ in 0..<WireLimits.items { #expect(try harness.broker(Item(), stream: stream) != nil) }
        #expect(throws: Failure.self) { try harness.broker(Item(), stream: stream) }
    }

    @Test("A status has no more entries than fit into 128 MiB", arguments: [0, 60 << 10])
    func statusEntries(length: Int) throws {
        var harness = try StateHarness()
        let stream = try harness.state.open(Status())
        // A field that this version does not know, and its length in 3 bytes, count as well.
        let digits = [0, 7, 14].map { UInt8(length >> $0 & 0x7F) | ($0 < 14 ? 0x80 : 0) }
        let payload = [15 << 3 | 2] + digits + [UInt8](repeating: 0, count: length)
        var encoder = FrameMemory()
        encoder.append(header: FrameHeader(.statusEntry, stream: stream, length: payload.count))
        let frame = encoder.bytes + payload
        var count = 0
        let failure = #expect(throws: Failure.self) {
            while try harness.broker(frame) != nil { count += 1 }
        }
        #expect(failure?.code == .protocolViolation)
        #expect(count >= 100_000 || length > 0)
        #expect(count * (length + 1_024) <= 129 << 20)
    }
}
