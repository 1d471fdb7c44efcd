import PasteboardClient
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct ClientStateRandomTests {
    @Test(
        "Whatever a broker sends, each stream ends once, ids increase, and no ask exceeds its credit",
        .tags(.f20),
        arguments: Seeds.fixed(1)
    )
    func anything(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var walk = try Walk()
            try walk.run(&random)
        }
    }
}

/// A client, and what it has open.
private struct Walk {
    private static let opening: [FrameKind] = [
        .write, .load, .list, .clear, .status, .stop, .drag, .destination,
    ]

    private var harness: StateHarness
    private var open: Set<UInt64> = []
    private var asks: [UInt64: (credit: UInt64, sent: UInt64)] = [:]
    private var destinationSessions: Set<UInt64> = []

    init() throws {
        harness = try StateHarness(maximumAsks: 8, maximumStreams: 3)
    }

    mutating func run(_ random: inout SeededGenerator) throws {
        var highest: UInt64 = 0
        for _ in 0..<200 {
            let stream = UInt64.random(in: 0...24, using: &random) << (Bool.random(using: &random) ? 0 : 31)
            if Bool.random(using: &random) {
                try wish(stream, &random)
            } else {
                let frame = Self.frame(stream, &random)
                // A driver would close the connection after a violation; the state keeps its invariants even if one
                // does not.
                if let event = try? harness.broker(frame) { try record(event) }
            }
            for frame in harness.sent() {
                guard let kind = frame.kind, Self.opening.contains(kind) else { continue }
                try #require(frame.stream & 1 == 1 && frame.stream > highest)
                highest = frame.stream
            }
        }
        let lost = harness.state.connectionLost(Failure(.brokerUnavailable, ""))
        try #require(Set(lost.streams) == open)
        try #require(Set(lost.asks) == Set(asks.keys))
        try #require(Set(lost.destinationSessions) == destinationSessions)
        try #require(!harness.state.isAwaiting)
    }

    private mutating func wish(_ stream: UInt64, _ random: inout SeededGenerator) throws {
        switch Int.random(in: 0..<22, using: &random) {
        case 0...2: if let id = try? harness.state.open(Load()) { open.insert(id) }
        case 3: if let id = try? harness.state.open(Write()) { open.insert(id) }
        case 4: if let id = try? harness.state.open(List()) { open.insert(id) }
        case 5: if let id = try? harness.state.open(Clear()) { open.insert(id) }
        case 6: harness.state.sendProbe()
        case 7:
            harness.state.cancel(stream)
            open.remove(stream)
        case 8: harness.state.consumed(stream, count: Int.random(in: 0...Int.max, using: &random))
        case 9: harness.state.commit(stream, itemCount: 1)
        case 10:
            harness.state.end(stream)
            asks[stream] = nil
        case 11:
            harness.state.fail(stream, Failure(.sourceFailed, ""))
            asks[stream] = nil
        case 12:
            var drag = Drag()
            drag.handle = Bool.random(using: &random) ? nil : 1
            if let id = try? harness.state.open(drag) { open.insert(id) }
        case 13: harness.state.begin(stream)
        case 14: try? harness.state.move(stream, to: nil, sequence: UInt64.random(in: 0...3, using: &random))
        case 15: harness.state.drop(stream)
        case 16: if let id = try? harness.state.open(Destination()) { open.insert(id) }
        case 17: harness.state.performed(Performed(), on: stream)
        case 18:
            harness.state.leave(stream)
            destinationSessions.remove(stream)
        default:
            let last = Bool.random(using: &random)
            let count = Int.random(in: 0...400_000, using: &random)
            guard let header = harness.state.dataHeader(on: stream, count: count, last: last),
                let ask = asks[stream]
            else { return }
            asks[stream]?.sent += UInt64(header.length)
            try #require(ask.sent + UInt64(header.length) <= ask.credit)
            if header.flags.contains(.last) { asks[stream] = nil }
        }
    }

    private mutating func record(_ event: ClientEvent) throws {
        switch event {
        case .welcomed:
            Issue.record("a second welcome")
        case .asked(let stream, let ask):
            try #require(asks.updateValue((ask.credit, 0), forKey: stream) == nil)
        case .askCredit(let stream):
            try #require(asks[stream] != nil)
            asks[stream]?.credit = .max
        case .askCancelled(let stream):
            try #require(asks.removeValue(forKey: stream) != nil)
        case .session(let stream, _):
            destinationSessions.insert(stream)
            try #require(asks[stream] == nil)
        case .item, .entered, .updated, .left, .perform, .transferred, .ended, .failed:
            if event.stream & 1 == 1 { fallthrough }
            try #require(destinationSessions.contains(event.stream))
            if event.isEnd { destinationSessions.remove(event.stream) }
        default:
            try #require(open.contains(event.stream))
            if event.isEnd { open.remove(event.stream) }
        }
    }

    private static func frame(_ stream: UInt64, _ random: inout SeededGenerator) -> [UInt8] {
        var encoder = FrameMemory()
        let kinds: [FrameKind] = [
            .ask, .answer, .committed, .contents, .item, .statusEntry, .data, .end, .error, .cancel, .credit, .progress,
            .registered, .change, .session, .enter, .update, .exit, .perform, .proposal, .dropped, .transferred,
        ]
        switch kinds.randomElement(using: &random) ?? .end {
        case .ask:
            var ask = Ask()
            ask.credit = UInt64.random(in: 0...1_000_000, using: &random)
            encoder.append(ask, stream: stream)
        case .credit:
            var credit = Credit()
            credit.offset = UInt64.random(in: 0 ... .max, using: &random)
            encoder.append(credit, stream: stream)
        case .session:
            var session = Session()
            session.destination = UInt64.random(in: 0...12, using: &random) << 1 | 1
            encoder.append(session, stream: stream)
        case .dropped:
            var dropped = Dropped()
            dropped.operation = DropOperation(rawValue: UInt32.random(in: 0...4, using: &random))
            encoder.append(dropped, stream: stream)
        case .answer:
            var answer = Answer()
            answer.byteCount = Bool.random(using: &random) ? nil : UInt64.random(in: 0 ... .max, using: &random)
            encoder.append(answer, stream: stream)
        case .data:
            let bytes = [UInt8](repeating: 0, count: Int.random(in: 0...3, using: &random))
            encoder.appendData(bytes, stream: stream, flags: Bool.random(using: &random) ? .last : [])
        case let kind:
            return StateHarness.emptyFrame(kind, stream: stream)
        }
        return encoder.bytes
    }
}
