import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The tables of `Protocol.md` and `frame-kinds.tsv` for frames in a wrong state and for malformed payloads.
@Suite("Frames by state", .pure) struct StateTableTests {
    private static let requests = [
        "items", "bytes", "publication", "load", "offered", "tracking", "dropped", "destination", "watching", "other",
        "list",
    ]

    @Test(
        "Every kind of frame has the outcome that Protocol.md states for the state of its stream",
        .tags(.f09),
        arguments: ["on a request", "on an ask", "on a session"]
    )
    func states(_ sort: String) throws {
        let table = try Document("Sources/PasteboardWire/PasteboardWire.docc/Protocol.md").table(sort)
        let states = try #require(table.first).dropFirst()
        let rows = Dictionary(uniqueKeysWithValues: table.dropFirst().map { ($0[0], $0) })
        #expect(Set(rows.keys).isSubset(of: FrameKind.allCases.map { "\($0)" }) && !rows.isEmpty)
        for (index, state) in states.enumerated() {
            for kind in FrameKind.allCases {
                let expected = rows["\(kind)"]?[index + 1] ?? "V"
                let outcome = StateScene(sort, state).outcome(kind)
                // Some frames have an effect that only later frames show.
                let isExpected = outcome == expected || (expected, outcome) == ("ok", "late")
                #expect(isExpected, "\(kind) \(sort) in the state \(state): \(outcome) instead of \(expected)")
            }
        }
    }

    @Test(
        "An unknown kind that must be understood fails an open stream once, and is late on an ended one",
        .tags(.f10),
        arguments: ["on a request", "on an ask", "on a session"]
    )
    func unknownKinds(_ sort: String) throws {
        let table = try Document("Sources/PasteboardWire/PasteboardWire.docc/Protocol.md").table(sort)
        for state in try #require(table.first).dropFirst() {
            let scene = StateScene(sort, state)
            for _ in 0..<2 { scene.broker.raw(kind: 99, flags: 2, on: scene.stream, from: scene.peer) }
            let codes = scene.broker.take(scene.peer).on(scene.stream).codes
            #expect(codes == (state == "ended" ? [] : [.versionMismatch]), "\(sort) in the state \(state)")
            #expect(scene.broker.closed.isEmpty)
        }
    }

    @Test(
        "A frame on a stream that its sender was not given is a violation",
        .tags(.f09, .f11),
        arguments: FrameKind.allCases
    )
    func foreignStreams(_ kind: FrameKind) {
        for index in 0..<4 {
            let scene = StateScene("on an ask", "asked")
            let streams: [(id: UInt64, peer: PeerID)] = [
                (0, scene.peer), (scene.stream, scene.broker.connect("stranger")),
                // An ask that does not exist yet, and one in a place that was never used.
                (scene.stream + 2 << 32, scene.peer), (1 << 32 | 500 << 1, scene.peer),
            ]
            let (stream, peer) = streams[index]
            // It is for the connection.
            if kind == .inline, stream == 0 { continue }
            scene.broker.raw(kind: kind.rawValue, payload: StateScene.payload(kind), on: stream, from: peer)
            let codes = scene.broker.take(peer).on(0).codes
            #expect(scene.broker.closed == [peer], "\(kind) on \(stream)")
            // An error on stream 0 is not answered.
            #expect(codes == (kind == .error && stream == 0 ? [] : [.protocolViolation]), "\(kind) on \(stream)")
        }
    }

    @Test("A frame on a new stream is a violation, unless frame-kinds.tsv states that it opens one", .tags(.f11))
    func newStreams() throws {
        for row in try Document("Sources/PasteboardWire/frame-kinds.tsv").columns.dropFirst() {
            let kind = try #require(UInt8(row[0]).flatMap { FrameKind(rawValue: $0) })
            let broker = StateHarness()
            let peer = broker.connect()
            broker.raw(kind: kind.rawValue, payload: StateScene.payload(kind), on: 1, from: peer)
            let opens = row[3] == "request" && row[5] == "yes"
            #expect(broker.closed.isEmpty == opens, "\(kind)")
        }
    }

    @Test("Frames on an ask that has ended are late, although another ask has its place", .tags(.f11))
    func reusedPlace() {
        let broker = StateHarness()
        let (source, reader) = (broker.connect(), broker.connect())
        broker.promise("a", from: source)
        let asks = (0..<2).map { index in
            broker.load(from: reader)
            let ask = broker.takeAsks(source).first ?? 0
            if index == 0 { broker.data([1], last: true, on: ask, from: source) }
            return ask
        }
        _ = broker.take(reader)
        #expect(asks[1] == asks[0] + 2 << 32)
        for kind in [FrameKind.answer, .data, .progress, .error, .end] {
            broker.raw(kind: kind.rawValue, payload: StateScene.payload(kind), on: asks[0], from: source)
        }
        #expect(broker.take(source).isEmpty && broker.take(reader).isEmpty && broker.closed.isEmpty)
    }

    @Test("An error of a client on a request or a session has the effect of cancel", arguments: requests)
    func errors(_ state: String) {
        let sort = "on a request"
        let (cancelled, failed) = (StateScene(sort, state), StateScene(sort, state))
        let held = cancelled.broker.held
        #expect(cancelled.outcome(.cancel) != "V" && failed.outcome(.error) != "V")
        #expect(cancelled.effect == failed.effect && cancelled.broker.closed.isEmpty && failed.broker.closed.isEmpty)
        #expect(failed.broker.held != held || state == "list")
        #expect(failed.broker.brokenInvariants().isEmpty)
    }

    @Test("An error of a destination on a session has the effect of cancel", arguments: ["announced", "performing"])
    func sessionErrors(_ state: String) {
        let sort = "on a session"
        let scenes = [FrameKind.cancel, .error].map { kind in
            let scene = StateScene(sort, state)
            scene.broker.raw(kind: kind.rawValue, payload: StateScene.payload(kind), on: scene.stream, from: scene.peer)
            return scene
        }
        let effects = scenes.map(\.effect)
        #expect(effects[0] == effects[1] && !effects[0].frames.isEmpty)
    }

    /// The states in which a kind is expected.
    private static let expected: [FrameKind: (sort: String, state: String)] = [
        .item: ("on a request", "items"), .commit: ("on a request", "items"), .begin: ("on a request", "offered"),
        .move: ("on a request", "tracking"), .drop: ("on a request", "tracking"),
        .performed: ("on a session", "performing"), .conclude: ("on a session", "performing"),
        .answer: ("on an ask", "asked"), .end: ("on an ask", "asked"), .cancel: ("on a request", "load"),
        .credit: ("on a request", "load"),
        .exit: ("on a session", "announced"), .proposal: ("on a session", "announced"),
    ]

    @Test("A malformed payload ends the stream or the connection, as frame-kinds.tsv states")
    func malformed() throws {
        for row in try Document("Sources/PasteboardWire/frame-kinds.tsv").columns.dropFirst() {
            let kind = try #require(UInt8(row[0]).flatMap { FrameKind(rawValue: $0) })
            guard row[3] != "-", row[6] != "-" else { continue }
            guard !row[6].hasSuffix("stream on ask, else connection") else {
                check(kind, ends: "stream", StateScene("on an ask", "asked"))
                for state in kind == .error ? ["announced", "performing"] : ["performing"] {
                    check(kind, ends: "connection", StateScene("on a session", state))
                }
                if kind == .error { check(kind, ends: "connection", StateScene("on a request", "load")) }
                #expect((kind == .error) == row[6].hasPrefix("nothing on connection, "))
                continue
            }
            if let (sort, state) = Self.expected[kind] {
                check(kind, ends: row[6], StateScene(sort, state))
            } else if kind == .inline {
                let broker = StateHarness()
                let peer = broker.connect()
                broker.raw(kind: kind.rawValue, payload: [0x0B], on: 0, from: peer)
                #expect(broker.closed == [peer])
            } else if kind == .hello {
                let broker = StateHarness()
                let peer = broker.connectSilently()
                broker.raw(kind: kind.rawValue, payload: [0x0B], on: 0, from: peer)
                #expect(broker.take(peer).on(0).codes == [.invalidArgument] && broker.closed == [peer])
            } else {
                #expect(row[5] == "yes", "\(kind) has no state here")
                let broker = StateHarness()
                let peer = broker.connect()
                broker.raw(kind: kind.rawValue, payload: [0x0B], on: 1, from: peer)
                #expect(broker.take(peer).on(1).codes == [.invalidArgument] && broker.closed.isEmpty, "\(kind)")
            }
        }
    }

    private func check(_ kind: FrameKind, ends object: String, _ scene: StateScene) {
        scene.broker.raw(kind: kind.rawValue, payload: [0x0B], on: scene.stream, from: scene.peer)
        let frames = scene.broker.take(scene.peer)
        guard object == "stream" else {
            #expect(frames.on(0).codes == [.invalidArgument] && scene.broker.closed == [scene.peer], "\(kind)")
            return
        }
        #expect(scene.broker.closed.isEmpty, "\(kind)")
        guard StreamID(scene.stream).sort == .ask else {
            #expect(frames.on(scene.stream).codes == [.invalidArgument], "\(kind)")
            return
        }
        #expect(frames.kinds == (kind == .answer || kind == .progress ? [.cancel] : []), "\(kind)")
        #expect(scene.effect.frames.count == 1 && scene.broker.held.loads == 0, "\(kind)")
    }

    @Test(
        "The payload of a frame on an ended stream is not decoded",
        arguments: ["on a request", "on an ask", "on a session"]
    )
    func lateAndMalformed(_ sort: String) {
        let sorts: [StreamSort] = [.request, .ask, .session]
        for kind in FrameKind.allCases where kind != .data {
            let scene = StateScene(sort, "ended")
            let fits = sorts.contains { $0 == StreamID(scene.stream).sort && kind.fits($0) }
            guard fits, Self.expected[kind] != nil || kind == .error || kind == .progress else { continue }
            scene.broker.raw(kind: kind.rawValue, payload: [0x0B], on: scene.stream, from: scene.peer)
            #expect(scene.broker.take(scene.peer).isEmpty && scene.broker.closed.isEmpty, "\(kind) \(sort)")
        }
    }
}
