import PasteboardClient
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct ClientStateTests {
    @Test("Hello is sent first, and requests follow with increasing odd ids")
    func opening() throws {
        var harness = try StateHarness(welcomed: false)
        _ = try harness.state.open(List())
        _ = try harness.state.open(Load())
        _ = try harness.state.open(Write())
        let frames = harness.sent()
        #expect(frames.map(\.kind) == [.hello, .list, .load, .write])
        #expect(frames.map(\.stream) == [0, 1, 3, 5])
        #expect(try frames[2].decoded(as: Load.self).credit == ClientState.standardWindow)
    }

    @Test("A request that does not fit into a frame is refused and leaves nothing in the queue")
    func tooLong() throws {
        var harness = try StateHarness()
        var item = Item()
        var representation = Representation()
        representation.supertypes = Array(repeating: String(repeating: "a", count: 512), count: 64)
        item.representations = [representation, representation, representation]
        let stream = try harness.state.open(Write())
        let failure = #expect(throws: Failure.self) { try harness.state.add(item, to: stream) }
        #expect(failure?.code == .limitExceeded)
        #expect(harness.sent().map(\.kind) == [.write])
    }

    // MARK: Loads

    @Test("A load that was encoded before is opened like any other, also if it has to wait")
    func encoded() throws {
        var load = Load()
        load.handle = 7
        load.maximumByteCount = 10
        load.accepts = [Accept()]
        var (plain, encoded) = (try StateHarness(maximumStreams: 1), try StateHarness(maximumStreams: 1))
        let repeated = EncodedLoad(load, standardCredit: ClientState.standardWindow)
        for _ in 0..<2 {
            #expect(try plain.state.open(load) == (try encoded.state.open(repeated)))
        }
        #expect(plain.sent() == encoded.sent())
        // The second gets another number on the wire.
        for stream in [1, 5] as [UInt64] {
            for var harness in [plain, encoded] {
                _ = try harness.broker(Answer(), stream: stream)
                #expect(throws: Failure.self) { try harness.data(11, stream: stream) }
            }
            _ = try plain.broker(Failure(.timeout, ""), stream: stream)
            _ = try encoded.broker(Failure(.timeout, ""), stream: stream)
            #expect(plain.sent() == encoded.sent())
        }
    }

    @Test("A load is answered, delivers its bytes and ends with the last of them")
    func load() throws {
        var harness = try StateHarness()
        let stream = try harness.answeredLoad()
        #expect(try harness.data(10, stream: stream)?.summary == "data 1 10")
        #expect(try harness.data(0, stream: stream) == nil)
        #expect(try harness.data(5, stream: stream, last: true)?.summary == "data 1 5 last")
        // All further frames are late.
        #expect(try harness.data(5, stream: stream) == nil)
        #expect(try harness.broker(End(), stream: stream) == nil)
        #expect(try harness.broker(Failure(.timeout, ""), stream: stream) == nil)
        #expect(!harness.state.isAwaiting)
    }

    @Test("An end is equivalent to a last frame if its count is right", arguments: [nil, 10, 11, 9] as [UInt64?])
    func end(count: UInt64?) throws {
        var harness = try StateHarness()
        let stream = try harness.answeredLoad()
        _ = try harness.data(10, stream: stream)
        var end = End()
        end.byteCount = count
        let summary = try harness.broker(end, stream: stream)?.summary
        #expect(summary == (count ?? 10 == 10 ? "ended 1" : "failed 1 source-truncated"))
    }

    @Test("Fewer bytes than announced are never success", .tags(.f16))
    func truncated() throws {
        var harness = try StateHarness()
        let first = try harness.answeredLoad(byteCount: 20)
        #expect(try harness.data(10, stream: first, last: true)?.summary == "failed 1 source-truncated")
        let second = try harness.answeredLoad(byteCount: 20)
        #expect(try harness.broker(End(), stream: second)?.summary == "failed 3 source-truncated")
    }

    @Test("A write goes ahead of the bytes of other streams, until it has bytes of its own")
    func overtaking() throws {
        func kinds(sendingBytes: Bool) throws -> (connection: Int, stream: Int) {
            var harness = try StateHarness()
            let stream = try harness.state.open(Write())
            _ = harness.sent()
            try harness.state.add(Item(suggestedName: "a"), to: stream)
            if sendingBytes { harness.state.keepAlive(stream) }
            harness.state.commit(stream, itemCount: 1)
            return (harness.state.connectionFrames.count, harness.state.streamFrames.count)
        }
        #expect(try kinds(sendingBytes: false).stream == 0)
        // The commit must not overtake the bytes before it.
        let (ahead, behind) = try kinds(sendingBytes: true)
        #expect(ahead > 0 && behind > 2 * FrameHeader.byteCount)
    }

    @Test("Bytes before the answer, or beyond the credit, the announced size or the allowed size, violate the protocol")
    func excess() throws {
        func violation(_ body: (inout StateHarness) throws -> Void) throws {
            var harness = try StateHarness()
            let failure = #expect(throws: Failure.self) { try body(&harness) }
            #expect(failure?.code == .protocolViolation)
        }
        try violation { harness in
            let stream = try harness.state.open(Load())
            _ = try harness.data(1, stream: stream)
        }
        try violation { harness in
            let stream = try harness.answeredLoad(credit: 100)
            _ = try harness.data(100, stream: stream)
            _ = try harness.data(1, stream: stream)
        }
        try violation { harness in
            let stream = try harness.answeredLoad(credit: 100, byteCount: 10)
            _ = try harness.data(11, stream: stream)
        }
        try violation { harness in
            var load = Load()
            load.maximumByteCount = 10
            let stream = try harness.state.open(load)
            _ = try harness.broker(Answer(), stream: stream)
            #expect(throws: Never.self) { try harness.data(10, stream: stream) }
            _ = try harness.data(1, stream: stream)
        }
    }

    @Test("A change of a watched board without credit violates the protocol")
    func changes() throws {
        var harness = try StateHarness()
        var watch = Watch()
        watch.credit = 1
        let stream = try harness.state.open(watch)
        _ = try harness.broker(Registered(), stream: stream)
        #expect(try harness.broker(Change(), stream: stream)?.summary == "changed \(stream)")
        #expect(throws: Failure.self) { try harness.broker(Change(), stream: stream) }
    }

    @Test("Credit is granted by half windows, on demand, and never for bytes that will not be sent")
    func credit() throws {
        func granted(_ harness: inout StateHarness) throws -> [UInt64?] {
            try harness.sent().filter { $0.kind == .credit }.map { try $0.decoded(as: Credit.self).offset }
        }
        var harness = try StateHarness()
        let stream = try harness.answeredLoad(credit: 100)
        _ = try harness.data(100, stream: stream)
        harness.state.consumed(stream, count: 49)
        #expect(try granted(&harness) == [])
        harness.state.consumed(stream, count: 1)
        #expect(try granted(&harness) == [150])
        harness.state.consumed(stream, count: 1)
        harness.state.grant(stream)
        harness.state.grant(stream)
        #expect(try granted(&harness) == [151])

        let whole = try harness.answeredLoad(credit: 100, byteCount: 100)
        harness.state.consumed(whole, count: 80)
        harness.state.grant(whole)
        #expect(try granted(&harness) == [])
    }

    @Test("A cancelled load ends immediately, and its late frames are dropped")
    func cancel() throws {
        var harness = try StateHarness()
        let stream = try harness.answeredLoad()
        harness.state.cancel(stream)
        harness.state.cancel(stream)
        harness.state.consumed(stream, count: 100)
        #expect(harness.sent().map(\.kind) == [.cancel])
        #expect(try harness.data(5, stream: stream) == nil)
        #expect(try harness.broker(Answer(), stream: stream) == nil)
    }

    // MARK: More loads than the broker accepts

    @Test("Loads over the broker's limit wait for their turn, in order, under their original handles")
    func waiting() throws {
        var harness = try StateHarness(maximumStreams: 2)
        let handles = try (0..<5).map { _ in try harness.state.open(Load()) }
        #expect(Set(handles).count == 5)
        #expect(harness.sent().map(\.stream) == Array(handles.prefix(2)))
        // Other requests do not wait for them, and ids still increase.
        let list = try harness.state.open(List())
        #expect(harness.sent().map(\.stream) == [list])

        harness.state.cancel(handles[2])
        #expect(harness.sent().isEmpty)
        #expect(try harness.broker(Failure(.nothingHere, ""), stream: handles[0])?.stream == handles[0])
        let started = harness.sent()
        let fourth = try #require(started.first)
        #expect(fourth.stream > list)
        #expect(try harness.broker(Answer(), stream: fourth.stream)?.summary == "answered \(handles[3])")
        harness.state.cancel(handles[3])
        let frames = harness.sent()
        #expect(frames.map(\.kind) == [.cancel, .load])
        #expect(frames[0].stream == fourth.stream)
        // No stream was opened under the waiting load's own number, but the number was used, so frames for it are late.
        #expect(try harness.broker(End(), stream: handles[4]) == nil)
        #expect(
            harness.state.connectionLost(Failure(.brokerUnavailable, "")).streams
                == [handles[1], handles[4], list].sorted()
        )
    }

    @Test("Before welcome no more loads are sent than every broker accepts")
    func beforeWelcome() throws {
        var harness = try StateHarness(welcomed: false)
        for _ in 0..<40 { _ = try harness.state.open(Load()) }
        #expect(harness.sent().count == 1 + 16)
        _ = try harness.broker(Welcome.standard(maximumStreams: 30), stream: 0)
        #expect(harness.sent().count == 14)
    }

    // MARK: The connection

    @Test("Any frame before welcome, a second welcome and another version end the connection")
    func welcome() throws {
        var early = try StateHarness(welcomed: false)
        let list = try early.state.open(List())
        #expect(throws: Failure.self) { try early.broker(Contents(), stream: list) }
        var twice = try StateHarness()
        #expect(throws: Failure.self) { try twice.broker(Welcome.standard(), stream: 0) }
        var other = try StateHarness(welcomed: false)
        var welcome = Welcome.standard()
        welcome.version = 2
        let failure = #expect(throws: Failure.self) { try other.broker(welcome, stream: 0) }
        #expect(failure?.code == .versionMismatch)
    }

    @Test("After the broker has announced its end, open streams still end, but none begins")
    func farewell() throws {
        var harness = try StateHarness()
        let stream = try harness.answeredLoad()
        #expect(try harness.broker(Failure(.brokerRestarted, "draining"), stream: 0) == nil)
        #expect(harness.state.farewell?.code == .brokerRestarted)
        let failure = #expect(throws: Failure.self) { try harness.state.open(Load()) }
        #expect(failure?.code == .brokerRestarted)
        #expect(try harness.data(5, stream: stream, last: true)?.summary == "data 1 5 last")
    }

    @Test("A lost connection reports the streams that ended with it, once, and stays lost")
    func lost() throws {
        var harness = try StateHarness(maximumStreams: 1)
        let load = try harness.state.open(Load())
        let waiting = try harness.state.open(Load())
        let publication = try harness.publication()
        _ = try harness.ask(1 << 32, credit: 5)
        harness.state.sendProbe()
        let lost = harness.state.connectionLost(Failure(.brokerUnavailable, "gone"))
        #expect(lost.streams == [load, waiting, publication])
        #expect(lost.asks == [1 << 32])
        #expect(harness.state.connectionLost(Failure(.timeout, "")).streams.isEmpty)
        #expect(harness.state.failure?.code == .brokerUnavailable)
        harness.state.cancel(load)
        harness.state.commit(publication, itemCount: 1)
        harness.state.fail(1 << 32, Failure(.sourceFailed, ""))
        #expect(harness.sent().isEmpty)
        #expect(throws: Failure.self) { try harness.state.open(List()) }
        #expect(try harness.broker(End(), stream: load) == nil)
    }

    @Test("Any frame answers a probe, and the answer is not an event")
    func probe() throws {
        var harness = try StateHarness()
        harness.state.sendProbe()
        harness.state.sendProbe()
        let probes = harness.sent()
        let frame = try #require(probes.first)
        #expect(frame.kind == .list)
        #expect(harness.state.isAwaiting)
        #expect(try harness.broker(Failure(.invalidArgument, "no such name"), stream: frame.stream) == nil)
        #expect(!harness.state.isAwaiting)
        harness.state.sendProbe()
        #expect(harness.sent().count == 1)
    }

    @Test("Unknown kinds are skipped, or refused if they must be understood", .tags(.f10))
    func unknownKinds() throws {
        var harness = try StateHarness()
        let stream = try harness.answeredLoad()
        _ = try harness.ask(1 << 32, credit: 5)
        func frame(_ stream: UInt64, _ flags: FrameFlags) -> [UInt8] {
            StateHarness.emptyFrame(rawKind: 200, stream: stream, flags: flags)
        }
        for id in [0, stream, 1 << 32, 999] { #expect(try harness.broker(frame(id, [])) == nil) }
        #expect(try harness.broker(frame(stream, .mustUnderstand))?.summary == "failed 1 version-mismatch")
        #expect(harness.sent().map(\.kind) == [.cancel])
        #expect(try harness.broker(frame(1 << 32, .mustUnderstand))?.summary == "askCancelled \(UInt64(1) << 32)")
        #expect(harness.sent().map(\.kind) == [.error])
        #expect(throws: Failure.self) { try harness.broker(frame(0, .mustUnderstand)) }
    }

    @Test("An answer in an unknown form fails its load, and the broker is sent a cancel")
    func unknownForm() throws {
        var harness = try StateHarness()
        let stream = try harness.state.open(Load())
        _ = harness.sent()
        var answer = Answer()
        answer.content = ContentForm(rawValue: 9)
        #expect(try harness.broker(answer, stream: stream)?.summary == "failed \(stream) version-mismatch")
        #expect(harness.sent().map(\.kind) == [.cancel])
        #expect(try harness.data(3, stream: stream, last: true) == nil, "its bytes are late")
    }
}
