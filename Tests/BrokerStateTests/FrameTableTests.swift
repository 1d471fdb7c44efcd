import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Every kind of frame on a stream in every state, from a client that has sent hello. Streams of drag sessions have
/// their own tables.
@Suite(.pure) struct FrameTableTests {
    private enum Outcome: Character {
        /// The peer is sent an error on the stream.
        case answered = "a"
        /// The frame has an effect that others see, or that the broker stores.
        case taken = "t"
        /// The frame has no effect.
        case dropped = "d"
        /// The peer is sent an error on stream 0 and closed.
        case violation = "V"
        /// The peer is closed without an error frame.
        case closed = "c"
    }

    private enum Stream: Int, CaseIterable {
        case aboveHighest, neverIssued, load, write, publication, ask, askOfAnother, closed, closedAsk
        case olderGeneration, newerGeneration, connection
    }

    /// One character for each `Stream`, in its order.
    private static let table: [FrameKind: String] = [
        .hello: "VVVVVVVVVVVV",
        .welcome: "VVVVVVVVVVVV",
        .write: "tVVVVVVVVVVV",
        .item: "VVVaVVVdVVVV",
        .commit: "VVVaVVVdVVVV",
        .load: "tVVVVVVVVVVV",
        .list: "aVVVVVVVVVVV",
        .clear: "aVVVVVVVVVVV",
        .status: "aVVVVVVVVVVV",
        .stop: "aVVVVVVVVVVV",
        .drag: "tVVVVVVVVVVV",
        .destination: "aVVVVVVVVVVV",
        .wait: "tVVVVVVVVVVV",
        .watch: "aVVVVVVVVVVV",
        .createBoard: "aVVVVVVVVVVV",
        .change: "VVVVVVVVVVVV",
        .begin: "VVVVVVVdVVVV",
        .move: "VVVVVVVdVVVV",
        .drop: "VVVVVVVdVVVV",
        .performed: "VVVVVVVVVVVV",
        .conclude: "VVVVVVVVVVVV",
        .ask: "VVVVVVVVVVVV",
        .answer: "VVVVVaVVddVV",
        .committed: "VVVVVVVVVVVV",
        .contents: "VVVVVVVVVVVV",
        .statusEntry: "VVVVVVVVVVVV",
        .registered: "VVVVVVVVVVVV",
        .session: "VVVVVVVVVVVV",
        .update: "VVVVVVVVVVVV",
        .perform: "VVVVVVVVVVVV",
        .dropped: "VVVVVVVVVVVV",
        .transferred: "VVVVVVVVVVVV",
        .data: "VVVVVtVdddVV",
        .end: "VVVVVtVVddVV",
        .error: "VVttttVdddVc",
        .cancel: "VVtttVVdVVVV",
        .credit: "VVtVVVVdVVVV",
        .progress: "VVVVVtVVddVV",
        .enter: "VVVVVVVdVVVV",
        .exit: "VVVVVVVVVVVV",
        .proposal: "VVVVVVVVVVVV",
    ]

    /// A valid payload, which has an effect if the frame is expected.
    private static func payload(_ kind: FrameKind) -> [UInt8] {
        var bytes: [UInt8] = []
        switch kind {
        case .answer: Answer(byteCount: 1 << 40).encode(into: &bytes)
        case .credit:
            var credit = Credit()
            credit.offset = 1_000
            credit.encode(into: &bytes)
        case .data: bytes = [1]
        case .destination:
            var destination = Destination()
            destination.name = "shelf"
            destination.encode(into: &bytes)
        case .wait:
            var wait = Wait()
            wait.destination = "shelf"
            wait.encode(into: &bytes)
        default: break
        }
        return bytes
    }

    /// A broker whose peer has one stream in each state.
    private struct Scene {
        let broker = StateHarness()
        let peer: PeerID
        let others: [PeerID]
        private var streams: [Stream: UInt64] = [:]

        init() {
            self.peer = broker.connect()
            let other = broker.connect()
            let reader = broker.connect()
            others = [other, reader]
            let closed = broker.newStream(of: self.peer)
            broker.send(List(), on: closed, from: self.peer)
            let publication = broker.write([Item("mine")], board: "mine", from: self.peer)
            broker.promise("theirs", from: other)
            var asks: [UInt64] = []
            for index in 0..<3 {
                broker.load(from: reader) {
                    $0.board = "mine"
                    // The test sends an answer with a greater size, so that an accepted answer has a visible effect.
                    $0.maximumByteCount = 1_000
                }
                asks += broker.takeAsks(self.peer)
                if index != 1 { broker.data([1], last: true, on: asks[index], from: self.peer) }
                if index == 1 {
                    let load = broker.load(from: self.peer, credit: 10)
                    streams[.load] = load
                    streams[.askOfAnother] = broker.takeAsks(other).first
                }
            }
            let write = broker.begin(board: "new", from: self.peer)
            streams[.aboveHighest] = broker.newStream(of: self.peer)
            streams[.neverIssued] = 1 << 32 | 500 << 1
            streams[.write] = write
            streams[.publication] = publication
            streams[.olderGeneration] = asks[0]
            streams[.ask] = asks[1]
            streams[.closedAsk] = asks[2]
            streams[.newerGeneration] = asks[2] + 1 << 32
            streams[.closed] = closed
            streams[.connection] = 0
            for peer in [self.peer] + others { _ = broker.take(peer) }
        }

        mutating func outcome(_ stream: Stream, _ send: (StateHarness, UInt64, PeerID) -> Void) -> Outcome {
            let id = streams[stream] ?? 0
            let held = broker.held
            send(broker, id, peer)
            let frames = broker.take(peer)
            if broker.closed.contains(peer) {
                return frames.on(0).codes.isEmpty ? .closed : .violation
            }
            if !frames.on(id).isEmpty { return .answered }
            let isSeen = others.contains { !broker.take($0).isEmpty }
            return isSeen || broker.held != held ? .taken : .dropped
        }
    }

    @Test(
        "Every kind of frame has one outcome on a stream in each state",
        .tags(.f09, .f11),
        arguments: FrameKind.allCases
    )
    func kinds(_ kind: FrameKind) throws {
        let row = try #require(Self.table[kind])
        let expected = row.map { Outcome(rawValue: $0) }
        try #require(expected.count == Stream.allCases.count)
        for stream in Stream.allCases {
            var scene = Scene()
            let outcome = scene.outcome(stream) { broker, id, peer in
                broker.raw(kind: kind.rawValue, payload: Self.payload(kind), on: id, from: peer)
            }
            #expect(outcome == expected[stream.rawValue], "\(kind) on a stream that is \(stream)")
        }
    }

    @Test("An unknown kind is skipped, or refused on its stream if it must be understood", .tags(.f10))
    func unknownKinds() {
        for stream in Stream.allCases {
            var skipping = Scene()
            let skipped = skipping.outcome(stream) { $0.raw(kind: 99, payload: [1, 2, 3], on: $1, from: $2) }
            #expect(skipped == .dropped, "\(stream)")
            var refusing = Scene()
            let refused = refusing.outcome(stream) { $0.raw(kind: 99, flags: 2, on: $1, from: $2) }
            let expected = Outcome(rawValue: Array("aVaaaaVdddVV")[stream.rawValue])
            #expect(refused == expected, "\(stream)")
        }
    }

    @Test("A stream on which an unknown kind was refused has ended, and its late frames are dropped")
    func refusedStreams() {
        for stream in [Stream.load, .write, .publication, .aboveHighest] {
            var scene = Scene()
            _ = scene.outcome(stream) { $0.raw(kind: 99, flags: 2, on: $1, from: $2) }
            for peer in scene.others { _ = scene.broker.take(peer) }
            for kind in [FrameKind.item, .data, .credit, .cancel] {
                let outcome = scene.outcome(stream) {
                    $0.raw(kind: kind.rawValue, payload: Self.payload(kind), on: $1, from: $2)
                }
                #expect(outcome == .dropped, "\(kind) on \(stream)")
            }
        }
    }

    @Test(
        "A malformed request is refused on its stream, and the connection stays open",
        arguments: [
            FrameKind.write, .load, .list, .clear, .status, .stop, .drag, .destination, .wait, .watch, .createBoard,
        ]
    )
    func malformed(_ kind: FrameKind) {
        let broker = StateHarness()
        let peer = broker.connect()
        let stream = broker.newStream(of: peer)
        broker.raw(kind: kind.rawValue, payload: [0x0A, 0x7F], on: stream, from: peer)
        #expect(broker.take(peer).on(stream).codes == [.invalidArgument])
        #expect(!broker.closed.contains(peer))
    }

    @Test("Even, repeated or decreasing stream ids open nothing", .tags(.f12))
    func ids() {
        for streams in [[UInt64(2)], [5, 5], [5, 3], [.max, 1]] {
            let broker = StateHarness()
            let peer = broker.connect()
            for stream in streams { broker.send(List(), on: stream, from: peer) }
            #expect(broker.take(peer).last?.code == .protocolViolation)
            #expect(broker.closed == [peer])
        }
    }
}
