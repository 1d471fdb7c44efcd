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
    private mutating func start(
        byteCount: UInt64? = nil,
        _ configure: (inout Load) -> Void = { _ in }
    ) throws -> (load: UInt64, ask: UInt64) {
        broker.write([Item([Representation("a", byteCount: byteCount)])], from: source)
        let load = broker.load(from: reader, configure)
        return (load, try #require(broker.takeAsks(source).first))
    }

    @Test("Bytes reach the destination after one answer, and the flag `last` ends the load")
    mutating func last() throws {
        let (load, ask) = try start()
        broker.data([1, 2], on: ask, from: source)
        broker.data([3], on: ask, from: source)
        broker.data([4], last: true, on: ask, from: source)
        let frames = broker.take(reader).on(load)
        #expect(frames.kinds == [.answer, .data, .data, .data] && frames.bytes == [1, 2, 3, 4])
        #expect(frames.ends.count == 1 && frames.last?.last == true)
        #expect(broker.held.loads == 0 && broker.held.inTransfer == 0)
    }

    @Test("A separate end with the right count also ends the load", arguments: [UInt64?.none, 3])
    mutating func end(_ count: UInt64?) throws {
        let (load, ask) = try start()
        broker.data([1, 2, 3], on: ask, from: source)
        broker.send(End(byteCount: count), on: ask, from: source)
        let frames = broker.take(reader).on(load)
        #expect(frames.kinds == [.answer, .data, .end])
        #expect(frames.last?.decode(End.self).byteCount == 3 && frames.last?.order == .stream)
    }

    @Test("An end without bytes makes an empty representation")
    mutating func emptyEnd() throws {
        let (load, ask) = try start()
        broker.send(End(byteCount: 0), on: ask, from: source)
        #expect(broker.take(reader).on(load).kinds == [.answer, .end])
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

    @Test("The flag `last` before all announced bytes is a truncation")
    mutating func lastTooEarly() throws {
        let (load, ask) = try start(byteCount: 5)
        broker.data([1, 2, 3], last: true, on: ask, from: source)
        let frames = broker.take(reader).on(load)
        #expect(frames.codes == [.sourceTruncated] && frames.ends.count == 1)
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

    @Test("A size beyond the destination's maximum fails as too large, whether it is announced or sent", .tags(.f39))
    mutating func maximum() throws {
        let exact = try start { $0.maximumByteCount = 2 }
        broker.send(Answer(byteCount: 2), on: exact.ask, from: source)
        broker.data([1, 2], last: true, on: exact.ask, from: source)
        #expect(broker.take(reader).on(exact.load).bytes == [1, 2])
        let announced = try start { $0.maximumByteCount = 2 }
        broker.send(Answer(byteCount: 3), on: announced.ask, from: source)
        #expect(broker.take(reader).on(announced.load).codes == [.tooLarge])
        #expect(broker.take(source).kinds == [.cancel])
        let sent = try start { $0.maximumByteCount = 2 }
        broker.data([1, 2], on: sent.ask, from: source)
        broker.data([3], on: sent.ask, from: source)
        #expect(broker.take(reader).on(sent.load).codes == [.tooLarge])
    }

    @Test("The size in a source's answer is passed to the destination, and the bytes must have this size")
    mutating func answerSize() throws {
        let (load, ask) = try start(byteCount: 9)
        broker.send(Answer(byteCount: 2), on: ask, from: source)
        let answers = broker.take(reader).on(load)
        #expect(answers.kinds == [.answer] && answers.first(Answer.self)?.byteCount == 2)
        broker.data([1, 2], last: true, on: ask, from: source)
        #expect(broker.take(reader).on(load).kinds == [.data])
    }

    @Test("A size that is announced after bytes is a violation")
    mutating func lateAnswer() throws {
        let (load, ask) = try start()
        broker.data([1], on: ask, from: source)
        broker.send(Answer(byteCount: 2), on: ask, from: source)
        #expect(broker.take(source).codes == [.protocolViolation])
        #expect(broker.take(reader).on(load).codes == [.sourceGone])
    }

    @Test("A source's own error reaches the destination with its domain, code and message")
    mutating func sourceFails() throws {
        let (load, ask) = try start()
        let own = SourceFailure(domain: "com.example", code: -7, message: "no paper")
        broker.send(Failure(.sourceFailed, "printer\u{1B} jam", source: own), on: ask, from: source)
        let failure = try #require(broker.take(reader).on(load).first(Failure.self))
        #expect(failure.code == .sourceFailed && failure.source == own)
        #expect(failure.text.contains("src") && failure.text.contains("printer jam"))
        #expect(broker.take(source).isEmpty)
    }

    @Test("No text of a source's error reaches the destination with characters that change a terminal")
    mutating func printableError() throws {
        let (load, ask) = try start()
        let own = SourceFailure(domain: "a\u{1B}c", code: 1, message: "\u{9B}2J\u{202E}b")
        broker.send(Failure(.sourceFailed, "jam", detail: "tray\u{1B}[2J\nfull", source: own), on: ask, from: source)
        let failure = try #require(broker.take(reader).on(load).first(Failure.self))
        #expect(failure.detail == "tray[2J\nfull")
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

    @Test(
        "A malformed frame of a source fails only its load, and the connection stays open",
        arguments: [
            (FrameKind.answer, true), (.progress, true), (.end, false), (.error, false),
        ]
    )
    mutating func malformed(_ kind: FrameKind, _ isCancelled: Bool) throws {
        let (load, ask) = try start()
        broker.raw(kind: kind.rawValue, payload: [0x08], on: ask, from: source)
        #expect(broker.take(reader).on(load).codes == [.sourceFailed])
        #expect(broker.take(source).kinds == (isCancelled ? [.cancel] : []))
        #expect(broker.closed.isEmpty)
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
        "A cancel before, during or after the bytes ends a load silently, and the source is sent at most one cancel",
        .tags(.f13)
    )
    mutating func cancel() throws {
        let before = try start()
        broker.send(Cancel(), on: before.load, from: reader)
        #expect(broker.take(source).on(before.ask).kinds == [.cancel])
        let during = try start()
        broker.data([1], on: during.ask, from: source)
        _ = broker.take(reader)
        broker.send(Cancel(), on: during.load, from: reader)
        broker.send(Cancel(), on: during.load, from: reader)
        broker.data([2], last: true, on: during.ask, from: source)
        broker.send(End(byteCount: 2), on: during.ask, from: source)
        #expect(broker.take(source).on(during.ask).kinds == [.cancel])
        let after = try start()
        broker.data([1], last: true, on: after.ask, from: source)
        _ = broker.take(reader)
        broker.send(Cancel(), on: after.load, from: reader)
        broker.credit(9, on: after.load, from: reader)
        #expect(broker.take(source).on(after.ask).isEmpty)
        #expect(broker.take(reader).isEmpty)
        #expect(broker.closed.isEmpty && broker.held.loads == 0)
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

    @Test("The death of a source after the end of its load does not affect the destination")
    mutating func sourceDiesAfter() throws {
        let (load, ask) = try start()
        broker.deliversAtOnce = false
        broker.data([1], last: true, on: ask, from: source)
        broker.disconnect(source)
        #expect(broker.take(reader).on(load).kinds == [.answer, .data])
        broker.deliver(to: reader)
        #expect(broker.held.loads == 0)
    }

    @Test("The death of a destination sends the source one cancel")
    mutating func destinationDies() throws {
        let (_, ask) = try start()
        broker.data([1], on: ask, from: source)
        broker.disconnect(reader)
        broker.data([2], on: ask, from: source)
        broker.data([3], last: true, on: ask, from: source)
        #expect(broker.take(source).kinds == [.cancel])
        #expect(broker.held.loads == 0 && broker.held.inTransfer == 0)
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
}
