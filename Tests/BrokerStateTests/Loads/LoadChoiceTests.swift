import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct LoadChoiceTests {
    /// The type that the source is asked for, or the code of the failed load.
    private static func choice(
        of representations: [Representation],
        _ configure: (inout Load) -> Void
    ) -> (type: String?, failure: Failure?) {
        let broker = StateHarness()
        let source = broker.connect()
        let destination = broker.connect()
        broker.write([Item(representations)], from: source)
        broker.load(from: destination, configure)
        return (broker.take(source).first(Ask.self)?.type, broker.take(destination).first(Failure.self))
    }

    private static let offered = [
        Representation("public.png"), Representation("public.utf8-plain-text"), Representation("com.example.own"),
    ]

    @Test("A load of a missing type fails with a list of the available types")
    func typeUnavailable() {
        let failure = Self.choice(of: Self.offered) { $0.accepts = [Accept("public.audio")] }.failure
        #expect(failure?.code == .typeUnavailable)
        #expect(failure?.detail == "public.png\npublic.utf8-plain-text\ncom.example.own")
    }

    @Test("A promise of more bytes than the load allows is refused before the source is asked")
    func tooLarge() {
        let offered = [Representation("a", byteCount: 4)]
        let refused = Self.choice(of: offered) { $0.maximumByteCount = 3 }
        #expect(refused.type == nil && refused.failure?.code == .tooLarge)
        #expect(Self.choice(of: offered) { $0.maximumByteCount = 4 }.type == "a")
    }

    /// A type identifier of at most 512 bytes that contains `count` names. Each `seed` leads to different names.
    private static func spelling(_ count: Int, _ seed: Int) -> String {
        let names = (0..<count).map { "\(seed).\($0)" }.joined(separator: ",")
        let digits = Array("abcdefghkmnpqrstuvwxyz0123456789")
        var (text, buffer, bits) = ("dyn.a", 0, 0)
        for byte in "?0=\(names)".utf8 {
            (buffer, bits) = ((buffer << 8 | Int(byte)) & 0xFFF, bits + 8)
            while bits >= 5 {
                bits -= 5
                text.append(digits[buffer >> bits & 31])
            }
        }
        if bits > 0 { text.append(digits[buffer << (5 - bits) & 31]) }
        return text
    }

    @Test("Names in dynamic supertypes are found, and charged to their publisher while they are held")
    func spelledNames() {
        let broker = StateHarness { $0.metadataPerPublication = 8_000 }
        let source = broker.connect()
        let reader = broker.connect()
        let idle = broker.held.metadata
        broker.write([Item([Representation("a", supertypes: [Self.spelling(50, 1)])])], from: source)
        #expect(broker.take(source).kinds == [.committed])
        #expect(broker.held.metadata >= idle + 50 * 64)
        broker.load(from: reader) { $0.accepts = [Accept("1.51"), Accept("1.49")] }
        #expect(broker.take(source).first(Ask.self)?.type == "a")
        let supertypes = (1...3).map { Self.spelling(50, $0) }
        broker.write([Item([Representation("a", supertypes: supertypes)])], from: source)
        #expect(broker.take(source).codes == [.limitExceeded])
        broker.disconnect(source)
        broker.clear(from: reader)
        #expect(broker.held.metadata == idle)
    }

    @Test("Loads beyond the limit of the connection are refused, and ended loads do not count", .tags(.f42))
    func loadLimit() {
        let broker = StateHarness { $0.loadsPerConnection = 2 }
        let source = broker.connect()
        let reader = broker.connect()
        broker.promise("a", from: source)
        for _ in 0..<3 { broker.load(from: reader) }
        #expect(broker.take(reader).codes == [.limitExceeded])
        broker.data([1], last: true, on: broker.takeAsks(source)[0], from: source)
        broker.load(from: reader)
        #expect(broker.take(reader).codes.isEmpty)
    }

    // MARK: Values that the protocol does not define

    @Test("An unknown match or preference is refused, in a plain load too, and on an empty board")
    func unknownValues() {
        for board in [nil, "empty"] as [String?] {
            for (match, preference) in [(3, 0), (.max, 0), (0, 2), (1, .max)] as [(UInt32, UInt32)] {
                let failure = Self.choice(of: Self.offered) {
                    $0.board = board
                    $0.accepts = [Accept("public.png", match: Match(rawValue: match))]
                    $0.preference = Preference(rawValue: preference)
                }.failure
                #expect(failure?.code == .invalidArgument, "match \(match), preference \(preference)")
            }
        }
    }

    @Test(
        "A malformed type in an accept list is refused, unless the entry accepts any type",
        arguments: ["", "a b", String(repeating: "a", count: 513), "a\u{A0}", "a\u{202E}b"]
    )
    func malformedTypes(_ type: String) {
        func code(_ configure: (inout Load) -> Void) -> ErrorCode? {
            Self.choice(of: Self.offered, configure).failure?.code
        }
        for match in [Match.conforming, .exact] {
            #expect(code { $0.accepts = [Accept(type, match: match), Accept("a")] } == .invalidArgument)
        }
        #expect(code { $0.accepts = [Accept(type, match: .any)] } == nil)
    }
}
