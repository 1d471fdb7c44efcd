import BrokerLoop
import PasteboardWire
import TestSupport
import Testing

/// Data frames that are passed on from the memory into which they were read, or queued, in whatever way they arrive.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct RunTests {
    /// The bytes of a load: the number of its ask in the first two, and then a pattern.
    private static func contents(of number: Int, count: Int) -> [UInt8] {
        (0..<count).map { index in
            switch index {
            case 0: UInt8(truncatingIfNeeded: number)
            case 1: UInt8(truncatingIfNeeded: number >> 8)
            default: UInt8(truncatingIfNeeded: number &* 31 &+ index &* 7 &+ index >> 8)
            }
        }
    }

    /// An ask that the source is answering.
    private struct Answering {
        let stream: UInt64
        let bytes: [UInt8]
        let end: Ending
        var sent = 0
    }

    private enum Ending: CaseIterable {
        case last
        case end
        case error
    }

    private struct Loading {
        var bytes: [UInt8] = []
        var isOver = false
        var hasFailed = false
    }

    @Test("Every load gets its own bytes in order, and then its end", arguments: 0..<20)
    func random(_ index: Int) throws {
        var random = SeededGenerator(seed: UInt64(index))
        let broker = try SteppedBroker(limits: ["asks-per-source=1000"])
        let source = try broker.connect()
        try broker.publish(on: "b", by: source)
        let destinations = try [nil, 4_096, nil].map { try broker.connect(buffer: $0) }
        var loads: [[UInt64: Loading]] = destinations.map { _ in [:] }
        var asks: [Answering] = []
        var (asked, opened, over) = (0, 0, 0)
        let total = 90
        while over < total {
            if opened < total {
                let number = Int.random(in: 0..<3, using: &random)
                let stream = destinations[number].newStream()
                loads[number][stream] = Loading()
                destinations[number].queue(Load("b"), stream: stream)
                try destinations[number].push()
                opened += 1
            }
            for frame in try source.hear() where frame.kind == .ask {
                let count = [0, 1, 60, 4_096, 70_000].randomElement(using: &random) ?? 0
                let end = Ending.allCases.randomElement(using: &random) ?? .last
                asks.append(Answering(stream: frame.stream, bytes: Self.contents(of: asked, count: count), end: end))
                asked += 1
            }
            for _ in 0..<Int.random(in: 0...6, using: &random) { answer(&asks, by: source, using: &random) }
            try source.push()
            try broker.step()
            for (number, destination) in destinations.enumerated() where Int.random(in: 0..<4, using: &random) > 0 {
                for frame in try destination.hear() { over += take(frame, &loads[number]) }
            }
        }
        for loading in loads.flatMap(\.values) where loading.bytes.count >= 2 {
            let number = Int(loading.bytes[0]) | Int(loading.bytes[1]) << 8
            let wanted = Self.contents(of: number, count: loading.bytes.count)
            #expect(loading.bytes == wanted, "seed \(random.seed)")
            #expect(loading.hasFailed || [60, 4_096, 70_000].contains(loading.bytes.count), "seed \(random.seed)")
        }
    }

    /// Queues the next frame of a random ask.
    private func answer(_ asks: inout [Answering], by source: SteppedPeer, using random: inout SeededGenerator) {
        guard let index = asks.indices.randomElement(using: &random) else { return }
        let left = asks[index].bytes.count - asks[index].sent
        let count = Bool.random(using: &random) ? left : Int.random(in: 0...left, using: &random)
        let bytes = Array(asks[index].bytes[asks[index].sent..<asks[index].sent + count])
        asks[index].sent += count
        let isWhole = count == left
        let (stream, end) = (asks[index].stream, asks[index].end)
        if count > 0 || isWhole && end == .last {
            source.queueData(bytes, stream: stream, last: isWhole && end == .last)
        }
        guard isWhole else { return }
        asks.remove(at: index)
        switch end {
        case .last: break
        case .end: source.queue(End(), stream: stream)
        case .error: source.queue(Failure(.refused, "no"), stream: stream)
        }
    }

    /// - Returns: 1 if the frame ends a load.
    private func take(_ frame: ScriptedPeer.Frame, _ loads: inout [UInt64: Loading]) -> Int {
        #expect(loads[frame.stream]?.isOver == false, "\(frame.header)")
        if frame.kind == .data { loads[frame.stream]?.bytes += frame.payload }
        guard [.end, .error].contains(frame.kind) || frame.header.flags.contains(.last) else { return 0 }
        loads[frame.stream]?.isOver = true
        loads[frame.stream]?.hasFailed = frame.kind == .error
        return 1
    }
}
