import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Every way in which a load of a promise ends, and the frames before the end.
@Suite(.pure) struct LoadEndTests {
    private var broker = StateHarness()
    private let source: PeerID
    private let reader: PeerID

    init() {
        source = broker.connect("src")
        reader = broker.connect("dst")
    }

    /// Starts a load of a representation that announces `byteCount`, and returns the streams of load and ask.
    private mutating func start(byteCount: UInt64? = nil) throws -> (load: UInt64, ask: UInt64) {
        broker.write([Item([Representation("a", byteCount: byteCount)])], from: source)
        let load = broker.load(from: reader)
        return (load, try #require(broker.takeAsks(source).first))
    }

    @Test("No text of a source's error reaches the destination with characters that change a terminal")
    mutating func printableError() throws {
        let (load, ask) = try start()
        let own = SourceFailure(domain: "a\u{1B}c", code: 1, message: "\u{9B}2J\u{202E}b")
        broker.send(Failure(.sourceFailed, "jam", detail: "tray\u{1B}[2J\nfull", source: own), on: ask, from: source)
        let failure = try #require(broker.take(reader).on(load).first(Failure.self))
        #expect(failure.text.contains("src") && failure.text.contains("jam") && failure.detail == "tray[2J\nfull")
        #expect(failure.source == SourceFailure(domain: "ac", code: 1, message: "2Jb"))
    }

    @Test("Progress is passed on, but only a limited number of reports between bytes")
    mutating func progress() throws {
        let (load, ask) = try start()
        var progress = Progress()
        for step in 0..<50 {
            progress.completed = UInt64(step)
            progress.total = 50
            broker.send(progress, on: ask, from: source)
        }
        let told = broker.take(reader).on(load).all(Progress.self)
        #expect(told.map(\.completed) == (0..<50).map { UInt64($0) } && told.allSatisfy { $0.total == 50 })
        for _ in 0..<10_000 { broker.send(progress, on: ask, from: source) }
        #expect(broker.take(reader).count < 100)
        broker.data(count: 100_000, on: ask, from: source)
        _ = broker.take(reader)
        broker.send(progress, on: ask, from: source)
        #expect(broker.take(reader).kinds == [.progress])
    }

    @Test(
        "If a source dies, its load ends as gone, or as truncated if all announced bytes had arrived",
        arguments: [
            (UInt64?.none, 0, ErrorCode.sourceGone), (nil, 3, .sourceGone), (5, 3, .sourceGone),
            (3, 3, .sourceTruncated),
            (0, 0, .sourceGone),
        ]
    )
    mutating func sourceDies(_ declared: UInt64?, _ sent: Int, _ code: ErrorCode) throws {
        let (load, ask) = try start(byteCount: declared)
        if sent > 0 { broker.data(count: sent, on: ask, from: source) }
        broker.disconnect(source)
        let frames = broker.take(reader).on(load)
        #expect(frames.codes == [code] && frames.ends.count == 1)
        #expect(frames.first(Failure.self)?.text.contains("src") == true)
    }

}
