import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardKit

/// The state of a connection, without a socket: the tests put frames in and check the effects.
@Suite(.inProcess) struct ConnectionStreamsTests {
    private var streams = ConnectionStreams()
    private var client = ClientState()
    private var decoder = FrameDecoder()
    private var effectsOfWelcome: [String] = []

    init() throws {
        effectsOfWelcome = try broker(Welcome.standard(), stream: 0)
    }

    /// A request that records the calls.
    private final class Recorder: Request {
        let isPublication: Bool
        private let handlerOfItem: DataHandler?
        private let calls = Lock<[String]>([])

        init(isPublication: Bool = false, handler: DataHandler? = nil) {
            self.isPublication = isPublication
            handlerOfItem = handler
        }

        var received: [String] { calls.withLock { $0 } }
        var isCancelled: Bool { false }

        func handle(_ event: ClientEvent, in bytes: Span<UInt8>, of memory: ReadMemory?, _: inout ClientState) -> Bool {
            calls.withLock { $0.append(String("\(event)".prefix { $0 != "(" })) }
            return true
        }

        func failed(_ failure: Failure) {
            calls.withLock { $0.append("failed") }
        }

        func deliver() {}

        func handler(item: UInt32, representation: UInt32) -> DataHandler? { item == 0 ? handlerOfItem : nil }

        func sessionArrived(_ stream: UInt64, _ session: Session) -> (any Request)? {
            isPublication ? nil : Recorder(isPublication: true)
        }
    }

    /// Takes a frame of the broker, and returns the names of the effects.
    private mutating func broker(_ message: some WireMessage, stream: UInt64) throws -> [String] {
        var encoder = FrameMemory()
        encoder.append(message, stream: stream)
        return try broker(encoder.bytes)
    }

    private mutating func broker(_ frame: [UInt8]) throws -> [String] {
        var (client, streams, effects, offset) = (client, streams, [ConnectionEffect](), 0)
        guard let chunk = try decoder.next(in: frame.span, at: &offset) else { return [] }
        try client.received(chunk, in: frame.span) { client, event, bytes in
            streams.handle(event, in: bytes, &client, &effects)
        }
        streams.release(&effects)
        (self.client, self.streams) = (client, streams)
        return effects.map(\.name)
    }

    private mutating func data(_ bytes: [UInt8], stream: UInt64, isLast: Bool = false) throws -> [String] {
        var encoder = FrameMemory()
        encoder.appendData(bytes, stream: stream, flags: isLast ? .last : [])
        return try broker(encoder.bytes)
    }

    private mutating func effects(_ body: (inout ConnectionStreams, inout [ConnectionEffect]) -> Void) -> [String] {
        var effects: [ConnectionEffect] = []
        body(&streams, &effects)
        streams.release(&effects)
        return effects.map(\.name)
    }

    private mutating func open(
        _ request: Recorder,
        _ body: (inout ClientState) throws(Failure) -> UInt64 = { (state) throws(Failure) in try state.open(Load()) }
    ) {
        var effects: [ConnectionEffect] = []
        streams.open(request, &client, &effects, body)
    }

    /// Publishes on the next stream, as publication 7.
    private mutating func publish(_ request: Recorder) throws -> [String] {
        open(request) { (state) throws(Failure) in
            let stream = try state.open(Write())
            state.commit(stream, itemCount: 1)
            return stream
        }
        var committed = Committed()
        committed.handle = 7
        return try broker(committed, stream: 1)
    }

    /// Publishes promises, for which the broker asks on stream 2. The answer has number 1.
    private mutating func publishAsked() throws -> Recorder {
        let request = Recorder(isPublication: true, handler: .async { .data(Data()) })
        #expect(try publish(request) == ["deliver"])
        #expect(try broker(ask(), stream: 2) == ["start"])
        return request
    }

    private func ask(item: UInt32 = 0) -> Ask {
        var ask = Ask()
        ask.handle = 7
        ask.item = item
        ask.credit = 10
        return ask
    }

    // MARK: Streams

    @Test("Events go to the request of their stream, and late events of a cancelled one are ignored")
    mutating func routing() throws {
        let (first, second) = (Recorder(), Recorder())
        open(first)
        open(second)
        #expect(try broker(Answer(), stream: 1) == ["deliver"])
        #expect(try broker(Answer(), stream: 3) == ["deliver"])
        #expect(try data([1, 2], stream: 3) == ["deliver"])
        let stream = streams.remove(first)
        #expect(stream == 1)
        client.cancel(1)
        // The number of the first request is assigned again.
        let third = Recorder()
        open(third)
        #expect(try data([1], stream: 1) == [])
        #expect(try broker(Answer(), stream: 5) == ["deliver"])
        #expect([first, second, third].map(\.received) == [["answered"], ["answered", "data"], ["answered"]])
    }

    @Test("A stream ends with its last bytes, its end or its failure, and later events are ignored")
    mutating func ends() throws {
        let requests = (0..<3).map { _ in Recorder() }
        for request in requests { open(request) }
        _ = try broker(Answer(), stream: 1)
        _ = try broker(Answer(), stream: 3)
        #expect(try data([0], stream: 1, isLast: true) == ["deliver"])
        #expect(try broker(End(), stream: 3) == ["deliver"])
        #expect(try broker(Failure(.timeout, "late"), stream: 5) == ["deliver"])
        #expect(streams.requests.isEmpty)
        #expect(try broker(End(), stream: 1) == [])
        #expect(requests.map(\.received) == [["answered", "data"], ["answered", "ended"], ["failed"]])
    }

    @Test("The request of a destination provides a request for each of its sessions")
    mutating func sessions() throws {
        open(Recorder()) { (state) throws(Failure) in try state.open(Destination()) }
        _ = try broker(Registered(), stream: 1)
        var session = Session()
        session.destination = 1
        #expect(try broker(session, stream: 2) == [])
        #expect(streams.requests.count == 2)
        // The next event of the session is delivered to that request.
        #expect(try broker(Exit(), stream: 2) == ["deliver"])
        #expect(try broker(End(), stream: 2) == ["deliver"])
        #expect(streams.requests.count == 1)
    }

    // MARK: Asks

    @Test("An ask starts the handler of the representation")
    mutating func asked() throws {
        _ = try publishAsked()
        #expect(streams.answers.count == 1)
        // There is no such item, so no handler starts.
        #expect(try broker(ask(item: 1), stream: 4) == [])
        #expect(streams.answers.count == 1)
    }

    @Test("A cancelled ask stops its handler and releases its values outside of the lock")
    mutating func askCancelled() throws {
        _ = try publishAsked()
        #expect(try broker(Cancel(), stream: 2) == ["cancel", "release"])
        #expect(try broker(Cancel(), stream: 2) == [])
    }

    @Test("A publication that has ended still accepts asks while another one is being answered")
    mutating func lastPublication() throws {
        _ = try publishAsked()
        _ = try broker(End(), stream: 1)
        #expect(try broker(ask(), stream: 4) == ["start"])
        #expect(effects { streams, _ in streams.forget(1) } == ["release"])
        // The end of the last answer releases the promises.
        #expect(effects { streams, _ in streams.forget(2) } == ["release"])
        #expect(try broker(ask(), stream: 6) == [])
    }

    @Test("The wait for a publication's answers ends after the last of them")
    mutating func answersEnded() throws {
        let request = try publishAsked()
        streams.expectEnd(of: request, PendingResult<Void>())
        #expect(effects { $0.reportEnds(&$1) } == [])
        streams.forget(1)
        #expect(effects { $0.reportEnds(&$1) } == ["resolve", "release"])
        #expect(effects { $0.reportEnds(&$1) } == [])
    }

    @Test("A chunk makes its answer sendable, and the next chunk is requested after it was sent")
    mutating func chunks() throws {
        _ = try publishAsked()
        streams.handle(.success(Data([1])), of: 2, &client)
        #expect(streams.sendable == [1])
        #expect(effects { $0.askNext(1, of: ChunkStream(Data()), &$1) } == ["next chunk", "release"])
        streams.handle(.success(nil), of: 2, &client)
        #expect(streams.answers.isEmpty)
        streams.handle(.success(Data([1])), of: 2, &client)
        #expect(streams.sendable == [1])
    }

    @Test("Credit makes an answer sendable only if it has bytes")
    mutating func credit() throws {
        _ = try publishAsked()
        var credit = Credit()
        credit.offset = 20
        _ = try broker(credit, stream: 2)
        #expect(streams.sendable == [])
        streams.answers[1]?.data = Data([1])
        credit.offset = 30
        _ = try broker(credit, stream: 2)
        #expect(streams.sendable == [1])
    }

    // MARK: Loss

    @Test("The loss of the connection fails all streams, stops all handlers and ends all waits")
    mutating func loss() throws {
        let request = try publishAsked()
        streams.expectEnd(of: request, PendingResult<Void>())
        let names = effects { $0.fail(Failure(.brokerUnavailable, "gone"), &$1) }
        #expect(names == ["resolve", "deliver", "cancel", "release", "release"])
        #expect(request.received == ["committed", "failed"])
        #expect(streams.requests.isEmpty)
        #expect(streams.answers.isEmpty)
        #expect(try broker(ask(), stream: 4) == [])
    }
}

extension ConnectionEffect {
    fileprivate var name: String {
        switch self {
        case .deliver: "deliver"
        case .resolve: "resolve"
        case .start: "start"
        case .cancel: "cancel"
        case .cancelChunks: "cancel chunks"
        case .nextChunk: "next chunk"
        case .lost: "lost"
        case .release: "release"
        }
    }
}
