import FoundationEssentials
import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

/// The frames and exchanges of `Tests/ProtocolVectors` with the decoders and the articles.
@Suite("Vectors", .pure)
struct FrameVectorTests {
    @Test(
        "Every single frame is decoded, refused or skipped as shown",
        .tags(.f17, .f89),
        arguments: try VectorFile.frames().vectors
    )
    func frames(vector: Vector) throws {
        let frame = try #require(vector.frames.first)
        #expect(vector.frames.count == 1)
        switch vector.outcome {
        case .violation(let code):
            let failure = #expect(throws: Failure.self) {
                var collector = FrameCollector()
                try collector.push(frame.bytes)
            }
            #expect(failure?.code.description == code)
        case .malformed(let code):
            let (header, payload) = try received(frame)
            let type = try #require(header.kind?.message)
            let failure = #expect(throws: Failure.self) { _ = try type.init(decoding: payload) }
            #expect(failure?.code.description == code)
        case .means(let meaning):
            let (header, payload) = try received(frame)
            guard let type = header.kind?.message else {
                #expect(payload == meaning)
                return
            }
            #expect(try decoded(type, payload).encoded == decoded(type, meaning).encoded)
        case .ignored:
            #expect(try received(frame).header.kind == nil)
        default:
            Issue.record("a frame has no outcome")
        }
    }

    @Test("The frames of an earlier version are decoded as its own vectors show", arguments: ReleasedStreams.versions)
    func released(version: String) throws {
        for vector in try VectorFile(try ReleasedStreams.text("frames.hex", of: version)).vectors {
            // A later version may know what was unknown.
            if case .means = vector.outcome { try frames(vector: vector) }
        }
        var count = 0
        for name in ["broker", "client", "transcripts"] {
            let vectors = try ExchangeFile(try ReleasedStreams.text("\(name).exchange", of: version)).vectors
            for vector in vectors where vector.outcome == .open {
                for frame in vector.frames
                where frame.sender == "broker" && !["close", "nothing", "data"].contains(frame.kind) {
                    let type = try #require(frame.header?.kind?.message, "line \(vector.line)")
                    _ = try type.init(decoding: Array(frame.bytes.dropFirst(FrameHeader.byteCount)))
                    count += 1
                }
            }
        }
        #expect(count > 1_000)
    }

    /// The frame as the decoder of frames returns it.
    private func received(_ frame: VectorFrame) throws -> (header: FrameHeader, payload: [UInt8]) {
        var collector = FrameCollector()
        try collector.push(frame.bytes)
        #expect(collector.frames.count == 1 && collector.pending.isEmpty)
        let first = try #require(collector.frames.first)
        return (first.header, first.payload)
    }

    @Test("There is a valid frame of every kind, and every kind has its name")
    func kinds() throws {
        let vectors = try VectorFile.frames().vectors
        let valid = vectors.filter { if case .means = $0.outcome { true } else { false } }
        #expect(Set(valid.compactMap { $0.frames.first?.header?.kind }) == Set(FrameKind.allCases))
        for frame in vectors.flatMap(\.frames) {
            #expect(frame.header?.kind.map { "\($0)" } ?? "unknown" == frame.kind)
        }
    }

    /// A broker that sends the frames of the article.
    private struct ArticlePeers: ExchangePeers {
        var frames: ArraySlice<ShownFrame>

        mutating func send(_ bytes: [UInt8], passing _: PassedDescriptor?, from peer: String) {
            guard let frame = frames.popFirst() else { return }
            #expect(bytes == frame.bytes && peer == frame.sender && frame.receiver == "broker")
        }

        mutating func next(for peer: String) throws(ExchangeFault) -> ReceivedFrame? {
            // The list after the last frame is answered with its end.
            guard let frame = frames.popFirst() else {
                return ReceivedFrame(header: FrameHeader(.end, stream: 1 << 62 | 1, length: 0), payload: [])
            }
            #expect(peer == frame.receiver && frame.sender == "broker")
            return FrameHeader(frame.bytes.span, at: 0).map { header in
                ReceivedFrame(header: header, payload: Array(frame.bytes.dropFirst(FrameHeader.byteCount)))
            }
        }

        func close(_ peer: String) {}
    }

    @Test("The exchanges of the transcripts have the bytes of ProtocolTranscripts.md")
    func transcripts() throws {
        var shown = try Document.transcripts.frames[...]
        for vector in try ExchangeFile.transcripts() {
            var player = ExchangePlayer(ArticlePeers(frames: shown.prefix(vector.frames.count)))
            try player.play(vector)
            shown = shown.dropFirst(vector.frames.count)
        }
        #expect(shown.isEmpty)
    }

    @Test("Every file of exchanges is played")
    func files() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.path(ExchangeFile.directory))
        #expect(Set(names) == Set((ExchangeFile.chapters + ["Client", "Scenes"]).map { "\($0).exchange" }))
    }

    @Test("The list of rules has the numbers of the articles, and the vectors name no others")
    func rules() throws {
        var numbers: Set<String> = []
        for article in ["Protocol", "ProtocolStreams", "ProtocolBoards", "ProtocolDragSessions", "ProtocolFairness"] {
            let text = Repository.text("Sources/PasteboardWire/PasteboardWire.docc/\(article).md")
            // A rule begins as **F3**. In the tables of deadlines the number is the first cell.
            for match in text.matches(of: /\*\*([A-Z][0-9]+)\*\*|\n\| ([IJ][0-9]+) \|/) {
                numbers.insert(String(match.output.1 ?? match.output.2 ?? ""))
            }
        }
        #expect(Set(ProtocolRule.all) == numbers)
        for vector in try VectorFile.frames().vectors + ExchangeFile.broker() + ExchangeFile.client() {
            #expect(!vector.rules.isEmpty && numbers.isSuperset(of: vector.rules), "line \(vector.line)")
        }
    }

    @Test(
        "A line in another format is an error with its number",
        arguments: [
            "vector F1 a\n0", "vector F1 a\n00", "00", "vector F1 a\noutcome x", "vector F1 a\noutcome ignored\n00",
        ]
    )
    func wrongLines(text: String) {
        let error = #expect(throws: VectorError.self) { try VectorFile(text) }
        #expect(error?.line == text.split(separator: "\n").count)
    }
}

extension Vector: CustomTestStringConvertible {
    public var testDescription: String { "\(rules.joined(separator: " ")) \(title)" }
}
