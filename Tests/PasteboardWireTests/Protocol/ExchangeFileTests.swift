import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

/// The frames that the words of an exchange stand for.
@Suite(.pure) struct ExchangeFileTests {
    private static func vector(_ text: String) throws -> Vector {
        try #require(try ExchangeFile("# A title  (F3 S1)\n" + text).vectors.first)
    }

    /// The frames after the greetings, as their text.
    private static func frames(_ text: String) throws -> [String] {
        try vector(text).frames.filter { $0.line > 0 }.map { frame in
            guard let header = frame.header else { return "\(frame.peer) \(frame.kind)" }
            let payload = Array(frame.bytes.dropFirst(FrameHeader.byteCount))
            let text = FrameDescription(header, payload: payload.span).text
            return "\(frame.sender) \(frame.receiver) \(text)"
        }
    }

    @Test("The words have the rules, the title, the receivers and the outcome that are written")
    func parts() throws {
        let vector = try Self.vector("client: write\n  -> other: nothing; client: close\nother: cancel #1 -> violation")
        #expect(vector.rules == ["F3", "S1"] && vector.title == "A title" && vector.line == 1)
        #expect(
            vector.frames.map(\.kind) == [
                "hello", "welcome", "write", "hello", "welcome", "nothing", "close", "cancel",
            ]
        )
        #expect(
            vector.frames.map(\.peer) == ["client", "client", "client", "other", "other", "other", "client", "other"]
        )
        #expect(vector.frames.last?.line == 4)
        #expect(vector.outcome == .violation("protocol-violation"))
    }

    @Test("Fields are encoded by the schema, with their main field without a name")
    func fields() throws {
        let text = """
            stranger: item #1 [place, {text, policy: once-and-kept, file: {"a", modified_seconds: -2}}], title: "\\"\\u{e9}"
            stranger: clear #3 <0a 01 61>; write <0a 00*2>; end 5 last; error refused; data "ab"; data <00*3> last
            """
        let frames = try Self.frames(text)
        #expect(
            frames[0].contains(#"representations: [{type: "com.example.place"}, {type: "public.utf8-plain-text", "#)
        )
        #expect(frames[0].contains(#"policy: once_and_kept, file: {name: "a", modified_seconds: -2}}]"#))
        #expect(frames[0].hasSuffix(#"title: "\"é""#))
        #expect(frames[1] == #"stranger broker clear #3 board: "a""#)
        #expect(frames[2].hasPrefix("stranger broker write #5 malformed"))
        let rest = ["end #5 byte_count: 5, last", "error #5 code: refused", "data #5 2 bytes", "data #5 3 bytes, last"]
        #expect(frames[3...].map { String($0.dropFirst("stranger broker ".count)) } == rest)
    }

    @Test("Parts of the header can be written, and a frame several times")
    func headers() throws {
        let text = "stranger: 2* kind 99 #0 <0b>; list {} must-understand flags 64 version 2 length 3 descriptors 2"
        let frames = try Self.frames(text)
        #expect(frames[0] == frames[1] && frames[0] == "stranger broker kind 99 #0 1 byte")
        #expect(frames[2] == "stranger broker list #1 must understand, flags 64, version 2 +2 descriptors")
        #expect(try Self.vector(text).frames.last?.header?.length == 3)
    }

    @Test("A frame without a stream belongs to the last one of its peer, and a request opens the next")
    func streams() throws {
        let text = """
            client: write; commit; load
            client: credit 5 -> ask #8 place; cancel; other: answer #9 place
            client: data "a"; cancel #1; list
            """
        let streams = try Self.vector(text).frames.filter { $0.line > 0 }.compactMap(\.header?.stream)
        #expect(streams == [1, 1, 3, 3, 8, 8, 9, 8, 1, 5])
    }

    @Test("Each line that begins with a bar is an exchange of its own, after the other lines and scenes")
    func variants() throws {
        let text = """
            scene begun
            client: write

            # Frames  (S8)
            play begun
            client: kept
            | client: data "a"
            | client: drop -> violation

            # No exchange follows
            """
        let vectors = try ExchangeFile(text, name: "x").vectors
        #expect(vectors.map(\.title) == ["Frames: data", "Frames: drop"] && vectors.map(\.line) == [7, 8])
        #expect(
            vectors.map { $0.frames.map(\.kind).suffix(3) } == [["write", "item", "data"], ["write", "item", "drop"]]
        )
        #expect(vectors.map(\.outcome) == [.open, .violation("protocol-violation")])
    }

    @Test("An exchange is repeated with other texts, and each repeated request opens a stream")
    func rows() throws {
        let text = """
            # Loads  (L1)
            client: $2* load "$1"$3 -> answer
            with a | 2 | , item: 1
            with b | 1 | -
            """
        let vectors = try ExchangeFile(text).vectors
        #expect(vectors.map(\.title) == ["Loads: a | 2 | , item: 1", "Loads: b | 1 | -"])
        #expect(vectors.map { $0.frames.compactMap(\.header?.stream) } == [[0, 0, 1, 3, 3], [0, 0, 1, 1]])
        #expect(vectors.map { $0.frames[2].text } == ["load \"a\", item: 1", "load \"b\""])
        #expect(vectors.allSatisfy { !$0.isInternal })
    }

    @Test("Times, limits, processes and what is held are for the state of the broker alone")
    func internalSteps() throws {
        let lines = [
            "internal", "limit boards 2", "process 7 other", "after 2 min -> client: end #1", "holds loads: 0",
        ]
        for line in lines { #expect(try Self.vector("client: list\n\(line)").isInternal) }
        let vector = try Self.vector("limit boards 2\nprocess 7 other third\nclient: list")
        #expect(vector.limits == ["boards": "2"] && vector.processes == ["other": 7, "third": 7])
    }

    @Test(
        "A line in another format is an error with its number and its reason",
        arguments: [
            ("client: unheard", "there is no frame 'unheard'"), ("client: write wrong: 1", "no field 'wrong'"),
            ("client: write \"a\" often", "unknown word 'often'"),
            ("client: write; commit \"a\"", "item_count is a number"),
            ("client: write 5", "board is a text"), ("client: write [\"a\"", "a list has no end"),
            ("client: write; data", "the bytes"), ("client: write; begin 5", "Begin has no fields"),
            ("client", "other words"),
            ("play nothing", "there is no scene 'nothing'"), ("client: write <0>", "'0' is no byte"),
            ("after 5 d", "unknown unit of time"),
            ("holds 5", "a name is missing"), ("limit boards", "the name or the value of a limit is missing"),
            ("limit a 5 b", "too many words"), ("client: cancel", "no stream for 'cancel'"),
            ("-> client: nothing; client: \"a\"", "a frame is missing"),
            ("client: write \"\\u{110000}\"", "is no character"), ("client: +other", "there is no frame"),
        ]
    )
    func wrongLines(line: String, reason: String) {
        let error = #expect(throws: VectorError.self) { try ExchangeFile("# A  (F1)\n# b\n\(line)") }
        #expect(error?.line == 3 && error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        #expect(throws: VectorError.self) { try ExchangeFile("client: write") }
    }
}
