import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Loads from their answer to their end, by their events alone.
@Suite(.pure) struct LoadOperationTests {
    /// One load: the events of its stream, and the steps and the end that they lead to.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var maximum = UInt64.max
        let events: [ClientEvent]
        let steps: [LoadOperation.Step]
        let end: String?

        var testDescription: String { name }
    }

    private static func answer(_ byteCount: UInt64? = nil) -> ClientEvent {
        var fields = AnswerFields()
        fields.byteCount = byteCount
        return .answered(1, fields)
    }

    private static func data(_ range: Range<Int>, last: Bool = false) -> ClientEvent {
        .data(1, payload: range, last: last)
    }

    private static let rows: [Row] = [
        Row(
            name: "bytes",
            events: [answer(5), data(0..<3), data(3..<5, last: true)],
            steps: [.answered, .bytes(0..<3), .bytes(3..<5)],
            end: "complete"
        ),
        Row(name: "no end yet", events: [answer(), data(0..<3)], steps: [.answered, .bytes(0..<3)], end: nil),
        Row(
            name: "end without bytes",
            events: [answer(), .ended(1, End())],
            steps: [.answered, .over],
            end: "complete"
        ),
        Row(
            name: "failure after bytes",
            events: [answer(), data(0..<3), .failed(1, Failure(.sourceGone, ""))],
            steps: [.answered, .bytes(0..<3), .over],
            end: "failed"
        ),
        Row(
            name: "as many bytes as are accepted",
            maximum: 5,
            events: [answer(5), data(0..<5, last: true)],
            steps: [.answered, .bytes(0..<5)],
            end: "complete"
        ),
        Row(name: "too many announced", maximum: 4, events: [answer(5)], steps: [.over], end: "tooLarge"),
        Row(
            name: "dropped after too many",
            maximum: 4,
            events: [answer(5), data(0..<1), .failed(1, Failure(.sourceTruncated, ""))],
            steps: [.over, .over, .over],
            end: "tooLarge"
        ),
        Row(
            name: "too many without an announcement",
            maximum: 4,
            events: [answer(), data(0..<3), data(3..<5, last: true)],
            steps: [.answered, .bytes(0..<3), .over],
            end: "tooLarge"
        ),
        Row(name: "other events", events: [.registered(1, Registered())], steps: [.none], end: nil),
    ]

    @Test("The events of a load lead to its steps and to one end", arguments: rows)
    func table(row: Row) {
        let buffer: [UInt8] = [1, 2, 3, 4, 5]
        var load = LoadOperation(expecting: "public.data", maximum: row.maximum)
        #expect(row.events.map { load.handle($0, in: buffer.span) } == row.steps)
        #expect(load.end.map { String("\($0)".prefix { $0 != "(" }) } == row.end)
    }

    @Test("The number of bytes is the progress until the source reports its own")
    func progress() {
        let buffer: [UInt8] = [1, 2, 3]
        var load = LoadOperation(expecting: nil)
        _ = load.handle(Self.answer(9), in: buffer.span)
        #expect(load.takeProgress() == nil)
        _ = load.handle(Self.data(0..<2), in: buffer.span)
        #expect(load.takeProgress().map { [$0.completed, $0.total ?? 0] } == [2, 9])
        #expect(load.takeProgress() == nil)
        var report = Progress()
        report.completed = 7
        #expect(load.handle(.progress(1, report), in: buffer.span) == .progress)
        _ = load.handle(Self.data(2..<3), in: buffer.span)
        #expect(load.takeProgress().map { [$0.completed, $0.total ?? 0] } == [7, 0])
    }

    @Test("An answer is kept if it contains something new, or if it is asked for", arguments: [false, true])
    func answer(keepsAnswer: Bool) {
        let buffer = Array("public.png".utf8)
        var load = LoadOperation(expecting: "public.png", keepsAnswer: keepsAnswer)
        _ = load.handle(Self.answer(3), in: buffer.span)
        #expect((load.answer != nil) == keepsAnswer && load.byteCount == 3)
        var archive = AnswerFields()
        archive.content = .folderArchive
        _ = load.handle(.answered(1, archive), in: buffer.span)
        #expect(load.answer?.isArchive == true)
    }

    @Test("A file that is passed is the whole load, unless it is too large", arguments: [5, 4] as [UInt64])
    func passed(maximum: UInt64) throws {
        let pair = try Socket.pair()
        let file = DescriptorBox(try System.duplicate(pair.first.raw))
        var answer = Answer()
        answer.byteCount = 5
        var load = LoadOperation(expecting: nil, maximum: maximum)
        let nothing: [UInt8] = []
        #expect(load.handle(.passed(1, answer, file), in: nothing.span) == .over)
        switch load.end {
        case .passed(let descriptor, let given):
            #expect(maximum == 5 && descriptor === file && given.byteCount == 5)
        case .tooLarge: #expect(maximum == 4)
        default: Issue.record("the load has not ended")
        }
    }
}
