import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardKit

/// The state of a connection, without a socket: the tests put events in and check the effects.
@Suite(.inProcess) struct ConnectionStreamsTests {
    private var streams = ConnectionStreams()
    private var client = ClientState()

    /// A sink that records the calls.
    private final class Sink: StreamSink {
        let isPublication: Bool
        private let handlerOfItem: DataHandler?
        private let calls = Lock<[String]>([])

        init(isPublication: Bool = false, handler: DataHandler? = nil) {
            self.isPublication = isPublication
            handlerOfItem = handler
        }

        var received: [String] { calls.withLock { $0 } }
        var isCancelled: Bool { false }

        func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
            calls.withLock { $0.append(event.name) }
            effects.append(.deliver(.changed, to: self))
        }

        func received(
            _ bytes: Span<UInt8>,
            isLast: Bool,
            _ effects: inout [ConnectionEffect]
        ) -> BytesDisposal {
            calls.withLock { $0.append("\(bytes.count) bytes\(isLast ? ", last" : "")") }
            return .consumed
        }

        func deliver(_ delivery: SinkDelivery) {}

        func handler(item: UInt32, representation: UInt32) -> DataHandler? { item == 0 ? handlerOfItem : nil }

        func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)? { Sink() }
    }

    /// Takes an event, and returns the names of the effects.
    private mutating func take(_ event: ClientEvent, in bytes: [UInt8] = []) -> [String] {
        var effects: [ConnectionEffect] = []
        streams.take(event, in: bytes.span, &client, &effects)
        streams.release(&effects)
        return effects.map(\.name)
    }

    private mutating func effects(_ body: (inout ConnectionStreams, inout [ConnectionEffect]) -> Void) -> [String] {
        var effects: [ConnectionEffect] = []
        body(&streams, &effects)
        streams.release(&effects)
        return effects.map(\.name)
    }

    /// Publishes on stream 1, as publication 7, and takes an ask for it on stream 2.
    private mutating func publish(_ sink: Sink) -> [String] {
        streams.sinks[1] = sink
        var committed = Committed()
        committed.handle = 7
        return take(.committed(1, committed))
    }

    private func ask(item: UInt32 = 0) -> AskFields {
        var ask = AskFields()
        ask.handle = 7
        ask.item = item
        return ask
    }

    // MARK: Streams

    @Test("The welcome ends the greeting")
    mutating func welcome() {
        #expect(take(.welcomed(Welcome())) == ["resolve"])
    }

    @Test("Events go to the sink of their stream, and events of unknown streams are ignored")
    mutating func routing() {
        let (first, second) = (Sink(), Sink())
        streams.sinks = [1: first, 3: second]
        #expect(take(.answered(1, AnswerFields())) == ["deliver changed"])
        #expect(take(.data(3, payload: 1..<3, last: false), in: [0, 1, 2, 3]) == [])
        #expect(take(.answered(5, AnswerFields())) == [])
        #expect(first.received == ["answered"])
        #expect(second.received == ["2 bytes"])
    }

    @Test("A stream ends with its last bytes, its end or its failure, and later events are ignored")
    mutating func ends() {
        let sinks = (0..<3).map { _ in Sink() }
        streams.sinks = [1: sinks[0], 3: sinks[1], 5: sinks[2]]
        #expect(take(.data(1, payload: 0..<1, last: true), in: [0]) == [])
        #expect(take(.ended(3, End())) == ["deliver changed"])
        #expect(take(.failed(5, Failure(.timeout, "late"))) == ["deliver failed"])
        #expect(streams.sinks.isEmpty)
        #expect(take(.ended(1, End())) == [])
        #expect(sinks[0].received == ["1 bytes, last"])
    }

    @Test("The sink of a destination provides a sink for each of its sessions")
    mutating func sessions() {
        streams.sinks[1] = Sink()
        var session = Session()
        session.destination = 1
        #expect(take(.session(2, session)) == [])
        #expect(streams.sinks[2] != nil)
        // The next event of the session is delivered to that sink.
        #expect(take(.left(2, Exit())) == ["deliver changed"])
    }

    // MARK: Asks

    @Test("An ask starts the handler of the representation")
    mutating func asked() {
        #expect(publish(Sink(isPublication: true, handler: .async { .data(Data()) })) == ["deliver changed"])
        #expect(take(.asked(2, ask())) == ["start"])
        #expect(streams.answers.keys.sorted() == [2])
        // There is no such item, so no handler starts.
        #expect(take(.asked(4, ask(item: 1))) == [])
        #expect(streams.answers.keys.sorted() == [2])
    }

    @Test("A cancelled ask stops its handler and releases its values outside of the lock")
    mutating func askCancelled() {
        _ = publish(Sink(isPublication: true, handler: .async { .data(Data()) }))
        _ = take(.asked(2, ask()))
        #expect(take(.askCancelled(2)) == ["cancel", "release"])
        #expect(take(.askCancelled(2)) == [])
    }

    @Test("A publication that has ended still accepts asks while another one is being answered")
    mutating func lastPublication() {
        let sink = Sink(isPublication: true, handler: .async { .data(Data()) })
        _ = publish(sink)
        _ = take(.asked(2, ask()))
        _ = take(.ended(1, End()))
        #expect(take(.asked(4, ask())) == ["start"])
        #expect(effects { streams, _ in streams.forget(2) } == ["release"])
        // The end of the last answer releases the promises.
        #expect(effects { streams, _ in streams.forget(4) } == ["release"])
        #expect(take(.asked(6, ask())) == [])
    }

    @Test("The wait for a publication's answers ends after the last of them")
    mutating func answersEnded() {
        let sink = Sink(isPublication: true, handler: .async { .data(Data()) })
        _ = publish(sink)
        _ = take(.asked(2, ask()))
        streams.expectEnd(of: sink, PendingResult<Void>())
        #expect(effects { $0.reportEnds(&$1) } == [])
        streams.forget(2)
        #expect(effects { $0.reportEnds(&$1) } == ["resolve", "release"])
        #expect(effects { $0.reportEnds(&$1) } == [])
    }

    @Test("A chunk makes its answer sendable, and the next chunk is requested after it was sent")
    mutating func chunks() {
        _ = publish(Sink(isPublication: true, handler: .async { .data(Data()) }))
        _ = take(.asked(2, ask()))
        streams.take(.success(Data([1])), of: 2, &client)
        #expect(streams.sendable == [2])
        #expect(effects { $0.askNext(2, of: ChunkStream(Data()), &$1) } == ["next chunk", "release"])
        streams.take(.success(nil), of: 2, &client)
        #expect(streams.answers.isEmpty)
        streams.take(.success(Data([1])), of: 2, &client)
        #expect(streams.sendable == [2])
    }

    @Test("Credit makes an answer sendable only if it has bytes")
    mutating func credit() {
        _ = publish(Sink(isPublication: true, handler: .async { .data(Data()) }))
        _ = take(.asked(2, ask()))
        _ = take(.askCredit(2))
        #expect(streams.sendable == [])
        streams.answers[2]?.data = Data([1])
        _ = take(.askCredit(2))
        #expect(streams.sendable == [2])
    }

    // MARK: Loss

    @Test("The loss of the connection fails all streams, stops all handlers and ends all waits")
    mutating func loss() {
        let sink = Sink(isPublication: true, handler: .async { .data(Data()) })
        _ = publish(sink)
        _ = take(.asked(2, ask()))
        streams.expectEnd(of: sink, PendingResult<Void>())
        let names = effects { $0.fail(Failure(.brokerUnavailable, "gone"), &$1) }
        #expect(names == ["resolve", "resolve", "deliver failed", "cancel", "release", "release"])
        #expect(streams.sinks.isEmpty)
        #expect(streams.answers.isEmpty)
        #expect(take(.asked(4, ask())) == [])
    }
}

extension ConnectionEffect {
    fileprivate var name: String {
        switch self {
        case .deliver(let delivery, _): "deliver \(delivery.name)"
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

extension SinkDelivery {
    fileprivate var name: String {
        switch self {
        case .changed: "changed"
        case .finished: "finished"
        case .progress: "progress"
        case .answered: "answered"
        case .event(let event): event.name
        case .failed: "failed"
        }
    }
}

extension ClientEvent {
    /// The name of the case.
    fileprivate var name: String { String("\(self)".prefix { $0 != "(" }) }
}
