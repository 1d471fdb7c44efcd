import BrokerState
import PasteboardWire
import Testing

/// Every way in which a load of a promise ends, and the frames before the end.
@Suite struct LoadEndTests {
    private var broker = StateHarness()
    private let source: PeerID
    private let reader: PeerID

    init() {
        self.source = self.broker.connect("src")
        self.reader = self.broker.connect("dst")
    }

    /// Starts a load of a representation that announces `byteCount`, and returns the streams of load and ask.
    private mutating func start(
        byteCount: UInt64? = nil,
        _ configure: (inout Load) -> Void = { _ in }
    ) throws -> (load: UInt64, ask: UInt64) {
        self.broker.write([Item([Representation("a", byteCount: byteCount)])], from: self.source)
        let load = self.broker.load(from: self.reader, configure)
        return (load, try #require(self.broker.takeAsks(self.source).first))
    }

    @Test("Bytes reach the destination after one answer, and the flag `last` ends the load")
    mutating func last() throws {
        let (load, ask) = try self.start()
        self.broker.data([1, 2], on: ask, from: self.source)
        self.broker.data([3], on: ask, from: self.source)
        self.broker.data([4], last: true, on: ask, from: self.source)
        let frames = self.broker.take(self.reader).on(load)
        #expect(frames.kinds == [.answer, .data, .data, .data] && frames.bytes == [1, 2, 3, 4])
        #expect(frames.ends.count == 1 && frames.last?.last == true)
        #expect(self.broker.held.loads == 0 && self.broker.held.inTransfer == 0)
    }

    @Test("A separate end with the right count also ends the load", arguments: [UInt64?.none, 3])
    mutating func end(_ count: UInt64?) throws {
        let (load, ask) = try self.start()
        self.broker.data([1, 2, 3], on: ask, from: self.source)
        self.broker.send(End(byteCount: count), on: ask, from: self.source)
        let frames = self.broker.take(self.reader).on(load)
        #expect(frames.kinds == [.answer, .data, .end])
        #expect(frames.last?.decode(End.self).byteCount == 3 && frames.last?.order == .stream)
    }

    @Test("An end without bytes makes an empty representation")
    mutating func emptyEnd() throws {
        let (load, ask) = try self.start()
        self.broker.send(End(byteCount: 0), on: ask, from: self.source)
        #expect(self.broker.take(self.reader).on(load).kinds == [.answer, .end])
    }

    @Test(
        "An end with a greater count than the bytes is a truncation, and one with a smaller count is a failure",
        arguments: [
            (UInt64?.none, UInt64(4), ErrorCode.sourceTruncated), (nil, 2, .sourceFailed), (3, 2, .sourceFailed),
            (3, 4, .sourceTruncated), (5, 3, .sourceTruncated), (5, 5, .sourceTruncated), (nil, .max, .sourceTruncated),
        ]
    )
    mutating func wrongEnd(_ declared: UInt64?, _ counted: UInt64, _ code: ErrorCode) throws {
        let (load, ask) = try self.start(byteCount: declared)
        self.broker.data([1, 2, 3], on: ask, from: self.source)
        self.broker.send(End(byteCount: counted), on: ask, from: self.source)
        #expect(self.broker.take(self.reader).on(load).codes == [code])
        #expect(self.broker.take(self.source).isEmpty)
    }

    @Test("The flag `last` before all announced bytes is a truncation")
    mutating func lastTooEarly() throws {
        let (load, ask) = try self.start(byteCount: 5)
        self.broker.data([1, 2, 3], last: true, on: ask, from: self.source)
        let frames = self.broker.take(self.reader).on(load)
        #expect(frames.codes == [.sourceTruncated] && frames.ends.count == 1)
        #expect(self.broker.take(self.source).isEmpty)
    }

    @Test(
        "More bytes than announced are a failure that cancels the source, unless the source has ended by itself",
        arguments: [true, false]
    )
    mutating func overDeclared(_ last: Bool) throws {
        let (load, ask) = try self.start(byteCount: 2)
        self.broker.data([1, 2, 3], last: last, on: ask, from: self.source)
        #expect(self.broker.take(self.reader).on(load).codes == [.sourceFailed])
        #expect(self.broker.take(self.source).kinds == (last ? [] : [.cancel]))
        #expect(self.broker.closed.isEmpty)
    }

    @Test("A size beyond the destination's maximum fails as too large, whether it is announced or sent")
    mutating func maximum() throws {
        let announced = try self.start { $0.maximumByteCount = 2 }
        self.broker.send(Answer(byteCount: 3), on: announced.ask, from: self.source)
        #expect(self.broker.take(self.reader).on(announced.load).codes == [.tooLarge])
        #expect(self.broker.take(self.source).kinds == [.cancel])
        let sent = try self.start { $0.maximumByteCount = 2 }
        self.broker.data([1, 2], on: sent.ask, from: self.source)
        self.broker.data([3], on: sent.ask, from: self.source)
        #expect(self.broker.take(self.reader).on(sent.load).codes == [.tooLarge])
    }

    @Test("The size in a source's answer is passed to the destination, and the bytes must have this size")
    mutating func answerSize() throws {
        let (load, ask) = try self.start(byteCount: 9)
        self.broker.send(Answer(byteCount: 2), on: ask, from: self.source)
        #expect(self.broker.take(self.reader).isEmpty)
        self.broker.data([1, 2], last: true, on: ask, from: self.source)
        let frames = self.broker.take(self.reader).on(load)
        #expect(frames.kinds == [.answer, .data] && frames.first(Answer.self)?.byteCount == 2)
    }

    @Test("A size that is announced after bytes is a violation")
    mutating func lateAnswer() throws {
        let (load, ask) = try self.start()
        self.broker.data([1], on: ask, from: self.source)
        self.broker.send(Answer(byteCount: 2), on: ask, from: self.source)
        #expect(self.broker.take(self.source).codes == [.protocolViolation])
        #expect(self.broker.take(self.reader).on(load).codes == [.sourceGone])
    }

    @Test("A source's own error reaches the destination with its domain, code and message")
    mutating func sourceFails() throws {
        let (load, ask) = try self.start()
        let own = SourceFailure(domain: "com.example", code: -7, message: "no paper")
        self.broker.send(Failure(.sourceFailed, "printer\u{1B} jam", source: own), on: ask, from: self.source)
        let failure = try #require(self.broker.take(self.reader).on(load).first(Failure.self))
        #expect(failure.code == .sourceFailed && failure.source == own)
        #expect(failure.text.contains("src") && failure.text.contains("printer jam"))
        #expect(self.broker.take(self.source).isEmpty)
    }

    @Test(
        "A source may only send the codes source-failed and too-large; other codes become source-failed",
        arguments: [
            (ErrorCode.brokerRestarted, ErrorCode.sourceFailed), (.protocolViolation, .sourceFailed),
            (.tooLarge, .tooLarge),
        ]
    )
    mutating func codes(_ sent: ErrorCode, _ told: ErrorCode) throws {
        let (load, ask) = try self.start()
        self.broker.send(Failure(sent, "x"), on: ask, from: self.source)
        #expect(self.broker.take(self.reader).on(load).codes == [told])
    }

    @Test(
        "A malformed frame of a source fails only its load, and the connection stays open",
        arguments: [
            (FrameKind.answer, true), (.progress, true), (.end, false), (.error, false),
        ]
    )
    mutating func malformed(_ kind: FrameKind, _ isCancelled: Bool) throws {
        let (load, ask) = try self.start()
        self.broker.raw(kind: kind.rawValue, payload: [0x08], on: ask, from: self.source)
        #expect(self.broker.take(self.reader).on(load).codes == [.sourceFailed])
        #expect(self.broker.take(self.source).kinds == (isCancelled ? [.cancel] : []))
        #expect(self.broker.closed.isEmpty)
    }

    @Test("Progress is passed on, but only a limited number of reports between bytes")
    mutating func progress() throws {
        let (load, ask) = try self.start()
        var progress = Progress()
        for step in 0..<50 {
            progress.completed = UInt64(step)
            progress.total = 50
            self.broker.send(progress, on: ask, from: self.source)
        }
        let told = self.broker.take(self.reader).on(load).all(Progress.self)
        #expect(told.map(\.completed) == (0..<50).map { UInt64($0) } && told.allSatisfy { $0.total == 50 })
        for _ in 0..<10_000 { self.broker.send(progress, on: ask, from: self.source) }
        #expect(self.broker.take(self.reader).count < 100)
        self.broker.data(count: 100_000, on: ask, from: self.source)
        _ = self.broker.take(self.reader)
        self.broker.send(progress, on: ask, from: self.source)
        #expect(self.broker.take(self.reader).kinds == [.progress])
    }

    @Test("A cancel before, during or after the bytes ends a load silently, and the source is sent at most one cancel")
    mutating func cancel() throws {
        let before = try self.start()
        self.broker.send(Cancel(), on: before.load, from: self.reader)
        #expect(self.broker.take(self.source).on(before.ask).kinds == [.cancel])
        let during = try self.start()
        self.broker.data([1], on: during.ask, from: self.source)
        _ = self.broker.take(self.reader)
        self.broker.send(Cancel(), on: during.load, from: self.reader)
        self.broker.send(Cancel(), on: during.load, from: self.reader)
        self.broker.data([2], last: true, on: during.ask, from: self.source)
        self.broker.send(End(byteCount: 2), on: during.ask, from: self.source)
        #expect(self.broker.take(self.source).on(during.ask).kinds == [.cancel])
        let after = try self.start()
        self.broker.data([1], last: true, on: after.ask, from: self.source)
        _ = self.broker.take(self.reader)
        self.broker.send(Cancel(), on: after.load, from: self.reader)
        self.broker.credit(9, on: after.load, from: self.reader)
        #expect(self.broker.take(self.source).on(after.ask).isEmpty)
        #expect(self.broker.take(self.reader).isEmpty)
        #expect(self.broker.closed.isEmpty && self.broker.held.loads == 0)
    }

    @Test(
        "If a source dies, its load ends as gone, or as truncated if all announced bytes had come",
        arguments: [
            (UInt64?.none, 0, ErrorCode.sourceGone), (nil, 3, .sourceGone), (5, 3, .sourceGone),
            (3, 3, .sourceTruncated),
            (0, 0, .sourceGone),
        ]
    )
    mutating func sourceDies(_ declared: UInt64?, _ sent: Int, _ code: ErrorCode) throws {
        let (load, ask) = try self.start(byteCount: declared)
        if sent > 0 { self.broker.data(count: sent, on: ask, from: self.source) }
        self.broker.disconnect(self.source)
        let frames = self.broker.take(self.reader).on(load)
        #expect(frames.codes == [code] && frames.ends.count == 1)
        #expect(frames.first(Failure.self)?.text.contains("src") == true)
    }

    @Test("The death of a source after the end of its load does not affect the destination")
    mutating func sourceDiesAfter() throws {
        let (load, ask) = try self.start()
        self.broker.deliversAtOnce = false
        self.broker.data([1], last: true, on: ask, from: self.source)
        self.broker.disconnect(self.source)
        #expect(self.broker.take(self.reader).on(load).kinds == [.answer, .data])
        self.broker.deliver(to: self.reader)
        #expect(self.broker.held.loads == 0)
    }

    @Test("The death of a destination sends the source one cancel")
    mutating func destinationDies() throws {
        let (_, ask) = try self.start()
        self.broker.data([1], on: ask, from: self.source)
        self.broker.disconnect(self.reader)
        self.broker.data([2], on: ask, from: self.source)
        self.broker.data([3], last: true, on: ask, from: self.source)
        #expect(self.broker.take(self.source).kinds == [.cancel])
        #expect(self.broker.held.loads == 0 && self.broker.held.inTransfer == 0)
    }

    @Test(
        "Loads of promised and kept representations finish after their contents are replaced or cleared",
        arguments: [true, false]
    )
    mutating func replaced(_ byClear: Bool) {
        let items = [Item([Representation("a"), Representation("k", kept: true)])]
        self.broker.write(items, kept: [[5, 6]], from: self.source)
        let promised = self.broker.load(from: self.reader)
        let kept = self.broker.load(from: self.reader, credit: 1) { $0.accepts = [Accept("k", match: .exact)] }
        let ask = self.broker.takeAsks(self.source)[0]
        if byClear { self.broker.clear(from: self.reader) } else { self.broker.promise("b", from: self.reader) }
        #expect(self.broker.openMemory == 1)
        self.broker.data([1], last: true, on: ask, from: self.source)
        self.broker.credit(2, on: kept, from: self.reader)
        let frames = self.broker.take(self.reader)
        #expect(frames.on(promised).bytes == [1] && frames.on(promised).ends.count == 1)
        #expect(frames.on(kept).bytes == [5, 6] || frames.on(kept).bytes == [6])
        #expect(frames.on(kept).ends.count == 1 && frames.codes.isEmpty)
        #expect(self.broker.openMemory == 0)
        #expect(self.broker.held.publications == (byClear ? 0 : 1))
    }

    @Test("A peer may load its own promise, and its death ends everything")
    mutating func own() {
        self.broker.promise("a", from: self.source)
        let load = self.broker.load(from: self.source)
        let ask = self.broker.takeAsks(self.source)[0]
        self.broker.data([1], on: ask, from: self.source)
        #expect(self.broker.take(self.source).on(load).bytes == [1])
        self.broker.disconnect(self.source)
        #expect(self.broker.held.loads == 0 && self.broker.held.peers == 1)
    }
}
