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

    @Test(
        "An end that counts more or fewer bytes than were sent is a truncation",
        .tags(.f16),
        arguments: [(UInt64?.none, UInt64(4)), (nil, 2), (nil, 0), (3, 2), (3, 4), (5, 3), (5, 5), (nil, .max)]
    )
    mutating func wrongEnd(_ declared: UInt64?, _ counted: UInt64) throws {
        let (load, ask) = try start(byteCount: declared)
        broker.data([1, 2, 3], on: ask, from: source)
        broker.send(End(byteCount: counted), on: ask, from: source)
        #expect(broker.take(reader).on(load).codes == [.sourceTruncated])
        #expect(broker.take(source).isEmpty)
    }

    @Test(
        "More bytes than announced are a failure that cancels the source, unless the source has ended by itself",
        .tags(.f40),
        arguments: [true, false]
    )
    mutating func overDeclared(_ last: Bool) throws {
        let (load, ask) = try start(byteCount: 2)
        broker.data([1, 2, 3], last: last, on: ask, from: source)
        #expect(broker.take(reader).on(load).codes == [.sourceFailed])
        #expect(broker.take(source).kinds == (last ? [] : [.cancel]))
        #expect(broker.closed.isEmpty)
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

    @Test(
        "A source may only send the codes source-failed and too-large; other codes become source-failed",
        arguments: [
            (ErrorCode.brokerRestarted, ErrorCode.sourceFailed), (.protocolViolation, .sourceFailed),
            (.tooLarge, .tooLarge),
        ]
    )
    mutating func codes(_ sent: ErrorCode, _ told: ErrorCode) throws {
        let (load, ask) = try start()
        broker.send(Failure(sent, "x"), on: ask, from: source)
        #expect(broker.take(reader).on(load).codes == [told])
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

    @Test(
        "Loads of promised and kept representations finish after their contents are replaced or cleared",
        .tags(.f34, .f35),
        arguments: [true, false]
    )
    mutating func replaced(_ byClear: Bool) {
        let items = [Item([Representation("a"), Representation("k", kept: true)])]
        broker.write(items, kept: [[5, 6]], from: source)
        let promised = broker.load(from: reader)
        let kept = broker.load(from: reader, credit: 1) { $0.accepts = [Accept("k", match: .exact)] }
        let ask = broker.takeAsks(source)[0]
        if byClear { broker.clear(from: reader) } else { broker.promise("b", from: reader) }
        #expect(broker.openMemory == 1)
        broker.data([1], last: true, on: ask, from: source)
        broker.credit(2, on: kept, from: reader)
        let frames = broker.take(reader)
        #expect(frames.on(promised).bytes == [1] && frames.on(promised).ends.count == 1)
        #expect(frames.on(kept).bytes == [5, 6] || frames.on(kept).bytes == [6])
        #expect(frames.on(kept).ends.count == 1 && frames.codes.isEmpty)
        #expect(broker.openMemory == 0)
        #expect(broker.held.publications == (byClear ? 0 : 1))
    }

    @Test("A peer may load its own promise, and its death ends everything", .tags(.f50))
    mutating func own() {
        broker.promise("a", from: source)
        let load = broker.load(from: source)
        let ask = broker.takeAsks(source)[0]
        broker.data([1], on: ask, from: source)
        #expect(broker.take(source).on(load).bytes == [1])
        broker.disconnect(source)
        #expect(broker.held.loads == 0 && broker.held.peers == 1)
    }

    @Test("An unknown kind on an ask is a version mismatch for the source, and the load has a failed source")
    mutating func unknownKind() throws {
        let (load, ask) = try start()
        broker.raw(kind: 99, flags: FrameFlags.mustUnderstand.rawValue, on: ask, from: source)
        #expect(broker.take(source).on(ask).codes == [.versionMismatch])
        #expect(broker.take(reader).on(load).codes == [.sourceFailed])
    }
}
