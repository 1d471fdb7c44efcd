import BrokerLoop
import PasteboardWire
import TestSupport
import Testing

/// Data frames that are passed on from the memory into which they were read, or queued, in whatever way they arrive.
@Suite(.pure) struct RunTests {
    private static let pattern: [UInt8] = {
        var random = SeededGenerator(seed: 1)
        return (0..<4_000).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
    }()

    /// The bytes of a load: the number of its ask in the first two, and then a part of a pattern without repetitions.
    private static func contents(of number: Int, count: Int) -> [UInt8] {
        var bytes = Array(pattern[number..<number + count])
        if count > 0 { bytes[0] = UInt8(truncatingIfNeeded: number) }
        if count > 1 { bytes[1] = UInt8(truncatingIfNeeded: number >> 8) }
        return bytes
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

    @Test("Every load gets its own bytes in order, and then its end", arguments: 0..<8)
    func random(_ index: Int) throws {
        var random = SeededGenerator(seed: UInt64(index))
        let broker = try SteppedBroker(limits: ["asks-per-source=1000"])
        let source = try broker.connect()
        try broker.publish(on: "b", by: source)
        let destinations = try [nil, 4_096, nil].map { try broker.connect(buffer: $0) }
        var loads: [[UInt64: Loading]] = destinations.map { _ in [:] }
        var asks: [Answering] = []
        var (asked, opened, over) = (0, 0, 0)
        let total = 40
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
                let count = [0, 1, 60, 4_096, 20_000].randomElement(using: &random) ?? 0
                let end = Ending.allCases.randomElement(using: &random) ?? .last
                asks.append(Answering(stream: frame.stream, bytes: Self.contents(of: asked, count: count), end: end))
                asked += 1
            }
            for _ in 0..<Int.random(in: 0...6, using: &random) { answer(&asks, by: source, using: &random) }
            try source.push()
            try broker.step()
            for (number, destination) in destinations.enumerated() where Int.random(in: 0..<4, using: &random) > 0 {
                for frame in try destination.hear() { over += handle(frame, &loads[number]) }
            }
        }
        for loading in loads.flatMap(\.values) where loading.bytes.count >= 2 {
            let number = Int(loading.bytes[0]) | Int(loading.bytes[1]) << 8
            let wanted = Self.contents(of: number, count: loading.bytes.count)
            #expect(loading.bytes == wanted, "seed \(random.seed)")
            #expect(loading.hasFailed || [60, 4_096, 20_000].contains(loading.bytes.count), "seed \(random.seed)")
        }
    }

    @Test("A load that begins in the turn in which others have been delivered finds room")
    func roomAfterDelivery() throws {
        let broker = try SteppedBroker(limits: ["loads-per-connection=4"])
        let (source, destination) = (try broker.connect(), try broker.connect())
        try broker.publish(on: "b", by: source)
        let streams = (0..<5).map { _ in destination.newStream() }
        for stream in streams.dropLast() { destination.queue(Load("b"), stream: stream) }
        try broker.step(sending: destination)
        let asks = try source.hear().filter { $0.kind == .ask }.map(\.stream)
        #expect(asks.count == 4)
        for ask in asks { source.queueData(Self.contents(of: 1, count: 16 << 10), stream: ask, last: true) }
        destination.queue(Load("b"), stream: streams[4])
        // Both are ready in the same turn, the source first: epoll forgets in an idle turn who was ready last.
        try broker.step()
        try source.push()
        try broker.step(sending: destination)
        let errors = try destination.hear().filter { $0.kind == .error }.map { try $0.decoded(as: Failure.self) }
        #expect(errors.isEmpty)
        #expect(try source.hear().filter { $0.kind == .ask }.count == 1)
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
    private func handle(_ frame: ScriptedPeer.Frame, _ loads: inout [UInt64: Loading]) -> Int {
        #expect(loads[frame.stream]?.isOver == false, "\(frame.header)")
        if frame.kind == .data { loads[frame.stream]?.bytes += frame.payload }
        guard [.end, .error].contains(frame.kind) || frame.header.flags.contains(.last) else { return 0 }
        loads[frame.stream]?.isOver = true
        loads[frame.stream]?.hasFailed = frame.kind == .error
        return 1
    }
}
