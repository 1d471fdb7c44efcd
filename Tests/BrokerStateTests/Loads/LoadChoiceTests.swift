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

    @Test(
        "The source's order of types decides unless the load requests the destination's order",
        arguments: [(nil, "public.png"), (.source, "public.png"), (.acceptList, "public.utf8-plain-text")]
            as [(Preference?, String)]
    )
    func order(_ preference: Preference?, _ expected: String) {
        let choice = Self.choice(of: Self.offered) {
            $0.accepts = [Accept("public.text"), Accept("public.image")]
            $0.preference = preference
        }
        #expect(choice.type == expected)
    }

    @Test("A load without an accept list, or with an entry for any type, gets the first representation")
    func any() {
        #expect(Self.choice(of: Self.offered) { _ in }.type == "public.png")
        #expect(Self.choice(of: Self.offered) { $0.accepts = [Accept("", match: .any)] }.type == "public.png")
    }

    @Test("An exact entry matches only the type itself, without regard to ASCII case")
    func exact() {
        let text = Self.choice(of: Self.offered) { $0.accepts = [Accept("public.UTF8-plain-text", match: .exact)] }
        #expect(text.type == "public.utf8-plain-text")
        #expect(Self.choice(of: Self.offered) { $0.accepts = [Accept("public.image", match: .exact)] }.type == nil)
    }

    @Test("The publisher's supertypes count")
    func supertypes() {
        let published = [Representation("com.example.own", supertypes: ["public.json"])]
        #expect(Self.choice(of: published) { $0.accepts = [Accept("public.text")] }.type == "com.example.own")
    }

    @Test("A load from an empty board, or of a missing item, fails with nothing-here")
    func nothingHere() {
        let broker = StateHarness()
        let peer = broker.connect()
        broker.load(from: peer)
        broker.load(from: peer) { $0.board = "other" }
        #expect(broker.take(peer).codes == [.nothingHere, .nothingHere])
        broker.promise("a", from: peer)
        broker.load(from: peer) { $0.item = 1 }
        broker.load(from: peer) { $0.item = .max }
        let frames = broker.take(peer).filter { $0.kind == .error }
        #expect(frames.codes == [.nothingHere, .nothingHere])
        #expect(frames.allSatisfy { $0.order == .connection })
        broker.clear(from: peer)
        broker.load(from: peer)
        #expect(broker.take(peer).codes == [.nothingHere])
    }

    @Test("A load of a missing type fails with a list of the available types")
    func typeUnavailable() {
        let failure = Self.choice(of: Self.offered) { $0.accepts = [Accept("public.audio")] }.failure
        #expect(failure?.code == .typeUnavailable)
        #expect(failure?.detail == "public.png\npublic.utf8-plain-text\ncom.example.own")
    }

    @Test("A load fails as superseded if its handle is of replaced contents or its condition does not hold")
    func superseded() {
        let broker = StateHarness()
        let peer = broker.connect()
        let old = broker.promise("a", from: peer)
        let new = broker.promise("a", from: peer)
        _ = broker.take(peer)
        broker.load(from: peer) { $0.handle = old.handle }
        broker.load(from: peer) {
            $0.ifChangeCount = old.changeCount
            $0.requires = [1]
        }
        broker.load(from: peer) {
            $0.handle = new.handle
            $0.ifChangeCount = old.changeCount
            $0.requires = [1]
        }
        broker.load(from: peer) { $0.handle = .max }
        #expect(broker.take(peer).codes == [.superseded, .superseded, .superseded, .superseded])
        broker.load(from: peer) {
            $0.handle = new.handle
            $0.ifChangeCount = new.changeCount
            $0.requires = [1]
        }
        #expect(broker.take(peer).kinds == [.ask])
    }

    @Test("Promises of a dead source are gone, and its kept bytes are still served")
    func sourceGone() {
        let broker = StateHarness()
        let source = broker.connect("writer")
        let reader = broker.connect()
        broker.write(
            [Item([Representation("a.promise"), Representation("a.kept", kept: true)])],
            kept: [[9]],
            from: source
        )
        broker.disconnect(source)
        let listed = broker.list(from: reader)
        #expect(listed.first(Item.self)?.representations.map(\.provision) == [2, 1])
        broker.load(from: reader) { $0.accepts = [Accept("a.promise", match: .exact)] }
        let failure = broker.take(reader).first(Failure.self)
        #expect(failure?.code == .sourceGone && failure?.text.contains("writer") == true)
        broker.load(from: reader)
        #expect(broker.take(reader).bytes == [9])
    }

    @Test(
        "Own-process and group representations are hidden from other processes",
        arguments: [Visibility.group, .ownProcess]
    )
    func visibility(_ hidden: Visibility) {
        let broker = StateHarness()
        let source = broker.connect(process: 500)
        let same = broker.connect(process: 500)
        let other = broker.connect(process: 501)
        broker.write(
            [Item([Representation("a.secret", visibility: hidden), Representation("a.open", visibility: .team)])],
            from: source
        )
        #expect(broker.list(from: same).first(Item.self)?.representations.count == 2)
        #expect(broker.list(from: other).first(Item.self)?.representations.map(\.type) == ["a.open"])
        broker.load(from: other) { $0.accepts = [Accept("a.secret", match: .exact)] }
        let failure = broker.take(other).first(Failure.self)
        #expect(failure?.code == .typeUnavailable && failure?.detail == "a.open")
        broker.load(from: same) { $0.accepts = [Accept("a.secret", match: .exact)] }
        #expect(broker.take(source).first(Ask.self)?.type == "a.secret")
    }

    @Test(
        "A representation that is larger than the load allows is refused before the source is asked",
        arguments: [true, false]
    )
    func tooLarge(_ kept: Bool) {
        let broker = StateHarness()
        let source = broker.connect()
        let reader = broker.connect()
        broker.write([Item([Representation("a", byteCount: 4, kept: kept)])], kept: [[1, 2, 3, 4]], from: source)
        _ = broker.take(source)
        broker.load(from: reader) { $0.maximumByteCount = 3 }
        #expect(broker.take(reader).codes == [.tooLarge])
        #expect(broker.take(source).isEmpty)
        broker.load(from: reader) { $0.maximumByteCount = 4 }
        #expect(broker.take(reader).codes.isEmpty)
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

    @Test("An ask contains publication, item, representation, type and the remaining time")
    func ask() throws {
        let broker = StateHarness()
        let source = broker.connect()
        let reader = broker.connect()
        let items = [Item("x"), Item([Representation("a"), Representation("b")], name: "n")]
        broker.write(items, from: source)
        let handle = try #require(broker.take(source).first(Committed.self)?.handle)
        let stream = broker.load(from: reader) {
            $0.item = 1
            $0.accepts = [Accept("b", match: .exact)]
            $0.maximumByteCount = 50
            $0.timeoutMilliseconds = 7_000
        }
        let frame = try #require(broker.take(source).first)
        let ask = frame.decode(Ask.self)
        #expect(frame.stream == 1 << 32 && frame.order == .connection)
        #expect(ask.handle == handle && ask.item == 1 && ask.representation == 1 && ask.type == "b")
        #expect(ask.maximumByteCount == 50 && ask.firstByteMilliseconds == 7_000)
        broker.data([1], last: true, on: frame.stream, from: source)
        let answers = broker.take(reader).on(stream)
        #expect(answers.kinds == [.answer, .data])
        let answer = try #require(answers.first(Answer.self))
        #expect(answer.handle == handle && answer.item == 1 && answer.type == "b" && answer.itemCount == 2)
        #expect(answer.suggestedName == "n" && answer.byteCount == nil)
    }
}
