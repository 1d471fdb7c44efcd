import PasteboardClient
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct ClientStateAskTests {
    private let ask: UInt64 = 1 << 32 | 6

    @Test("The bytes sent for an ask never exceed its credit, and it ends with the last byte")
    func bytes() throws {
        var harness = try StateHarness()
        #expect(try harness.ask(ask, credit: 10)?.summary == "asked \(ask)")
        #expect(harness.state.sendable(ask) == 10)
        let first = harness.state.dataHeader(on: ask, count: 25, last: true)
        #expect(first?.length == 10 && first?.flags == [])
        #expect(harness.state.sendable(ask) == 0)
        #expect(harness.state.dataHeader(on: ask, count: 15, last: true) == nil)

        var credit = Credit()
        credit.offset = 5
        #expect(try harness.broker(credit, stream: ask) == nil)
        credit.offset = .max
        #expect(try harness.broker(credit, stream: ask)?.summary == "askCredit \(ask)")
        let second = harness.state.dataHeader(on: ask, count: 15, last: true)
        #expect(second?.length == 15 && second?.flags == .last)
        #expect(harness.state.sendable(ask) == nil)
        #expect(harness.state.dataHeader(on: ask, count: 1, last: true) == nil)
        // These frames crossed with the end.
        #expect(try harness.broker(credit, stream: ask) == nil)
        #expect(try harness.broker(Cancel(), stream: ask) == nil)
    }

    @Test("An empty answer needs no credit")
    func empty() throws {
        var harness = try StateHarness()
        _ = try harness.ask(ask, credit: 0)
        #expect(harness.state.dataHeader(on: ask, count: 0, last: false) == nil)
        #expect(harness.state.dataHeader(on: ask, count: 0, last: true)?.flags == .last)
    }

    @Test("An answer contains the type of the bytes, with or without a size, and does not follow bytes")
    func content() throws {
        var harness = try StateHarness()
        _ = try harness.ask(ask, credit: 10)
        harness.state.answer(ask, byteCount: nil, content: .folderArchive)
        harness.state.answer(ask, byteCount: 4)
        _ = harness.state.dataHeader(on: ask, count: 1, last: false)
        harness.state.answer(ask, byteCount: 5)
        let answers = try harness.sent().map { try $0.decoded(as: Answer.self) }
        #expect(answers.map(\.content) == [.folderArchive, nil] && answers.map(\.byteCount) == [nil, 4])
    }

    @Test("Frames are smaller while several streams share the connection")
    func frameLength() throws {
        var harness = try StateHarness()
        _ = try harness.publication()
        _ = try harness.ask(ask, credit: .max)
        #expect(harness.state.dataHeader(on: ask, count: 1 << 20, last: true)?.length == 256 << 10)
        _ = try harness.ask(ask + 2, credit: .max)
        for count in [1 << 20, (64 << 10) + 1] {
            #expect(harness.state.dataHeader(on: ask, count: count, last: true)?.length == 64 << 10)
        }
    }

    @Test("An ask ends once: by end, by error or by the broker's cancel", arguments: 0..<3)
    func ends(how: Int) throws {
        var harness = try StateHarness()
        _ = try harness.ask(ask, credit: 10)
        harness.state.answer(ask, byteCount: 4)
        harness.state.progress(ask, completed: 1, total: 2)
        _ = harness.state.dataHeader(on: ask, count: 4, last: false)
        switch how {
        case 0: harness.state.end(ask)
        case 1: harness.state.fail(ask, Failure(.sourceFailed, "no"))
        default: #expect(try harness.broker(Cancel(), stream: ask)?.summary == "askCancelled \(ask)")
        }
        harness.state.end(ask)
        harness.state.fail(ask, Failure(.sourceFailed, "no"))
        harness.state.answer(ask, byteCount: 4)
        harness.state.progress(ask, completed: 1, total: 2)
        let frames = harness.sent()
        let ends: [[FrameKind]] = [[.end], [.error], []]
        #expect(frames.map(\.kind) == [.answer, .progress] + ends[how])
        if how == 0 { #expect(try frames[2].decoded(as: End.self).byteCount == 4) }
    }

    @Test("An ask on an open stream, and more asks than were allowed, violate the protocol")
    func tooMany() throws {
        var harness = try StateHarness(maximumAsks: 2)
        _ = try harness.ask(ask, credit: 1)
        #expect(throws: Failure.self) { try harness.ask(ask, credit: 1) }
        _ = try harness.ask(ask + 2, credit: 1)
        #expect(throws: Failure.self) { try harness.ask(ask + 4, credit: 1) }
        harness.state.end(ask)
        // The next generation of the slot.
        #expect(try harness.ask(ask + 1 << 32, credit: 1) != nil)
    }
}
