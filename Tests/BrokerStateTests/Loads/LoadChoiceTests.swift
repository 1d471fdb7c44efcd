import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct LoadChoiceTests {
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

    @Test(
        "A load of one type gets it although a subtype is first, and a load of several gets the first that fits",
        arguments: [true, false]
    )
    func ownType(readsInPlace: Bool) {
        let broker = StateHarness(readsLoadsInPlace: readsInPlace)
        let source = broker.connect()
        broker.write([Item([Representation("public.html"), Representation("public.text")])], from: source)
        _ = broker.take(source)
        let text = Accept("public.text")
        for (accepts, type) in [([text], "public.text"), ([text, text], "public.html")] {
            broker.load(from: broker.connect()) { $0.accepts = accepts }
            #expect(broker.take(source).first(Ask.self)?.type == type)
        }
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

}
