import TerminalTable
import TestSupport
import Testing

@Suite("Keys")
struct KeyDecoderTests {
    static let keys: [(String, [Key])] = [
        ("a", [.character("a")]), (" ", [.character(" ")]), ("é", [.character("é")]), ("語", [.character("語")]),
        ("🚀", [.character("🚀")]), ("\u{1B}[A", [.up]), ("\u{1B}[B", [.down]), ("\u{1B}[C", [.right]),
        ("\u{1B}[D", [.left]), ("\u{1B}OA", [.up]), ("\u{1B}OF", [.end]), ("\u{1B}OM", [.enter]), ("\u{1B}[H", [.home]),
        ("\u{1B}[1~", [.home]), ("\u{1B}[7~", [.home]), ("\u{1B}[4~", [.end]), ("\u{1B}[8~", [.end]),
        ("\u{1B}[3~", [.delete]), ("\u{1B}[5~", [.pageUp]), ("\u{1B}[6~", [.pageDown]), ("\u{1B}[Z", [.backTab]),
        // With the control key held.
        ("\u{1B}[1;5A", [.up]), ("\u{1B}[5;2~", [.pageUp]), ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]),
        ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]), ("\u{3}", [.control("c")]), ("\u{1A}", [.control("z")]),
        // Answers and reports of a terminal, keys that nobody here wants, what is not for keys.
        ("\u{1B}[?1;2c", []), ("\u{1B}[15~", []), ("\u{0}", []), ("\u{85}", []),
        ("x\u{1B}[Ay", [.character("x"), .up, .character("y")]),
        // What is pasted means nothing, and an end that never comes keeps nobody from quitting.
        ("\u{1B}[200~q\r\u{1B}\u{1B}[A\u{1B}[201~x", [.character("x")]), ("\u{1B}[201~x", [.character("x")]),
        ("\u{1B}[200~q\u{3}q", [.control("c"), .character("q")]),
        // Two keys, the second of which shows that the first was not the beginning of something.
        ("\u{1B}q", [.escape, .character("q")]), ("\u{1B}\u{1B}[A", [.escape, .up]),
        ("\u{1B}é", [.escape, .character("é")]),
        ("\u{1B}[1\u{1B}[A", [.up]), ("\u{1B}[\u{3}", [.control("c")]),
    ]

    @Test("each key is what its bytes say", arguments: keys)
    func whole(text: String, expected: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(text.utf8) == expected)
        #expect(!decoder.isWaiting)
    }

    @Test("bytes that come one by one are the same keys", arguments: keys)
    func split(text: String, expected: [Key]) {
        var decoder = KeyDecoder()
        let keys = text.utf8.flatMap { decoder.decode([$0]) }
        #expect(keys == expected)
        #expect(!decoder.isWaiting)
    }

    @Test("the escape key alone is known once time has passed")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]).isEmpty)
        #expect(decoder.isWaiting)
        #expect(decoder.flush() == [.escape])
        #expect(!decoder.isWaiting)
        #expect(decoder.flush().isEmpty)
    }

    @Test("bytes that are no UTF-8 are no keys, and what follows them is")
    func invalid() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0xFF, 0x80, 0xC0, 0xE2, 0x82, 0x61]) == [.character("a")])
        #expect(decoder.decode([0xED, 0xA0, 0x80, 0xF4, 0x90, 0x80, 0x80]).isEmpty)
        #expect(decoder.decode([0xF0, 0x9F]).isEmpty)
        #expect(decoder.flush().isEmpty)
        #expect(decoder.decode([0x62]) == [.character("b")])
    }

    @Test("a sequence without end is dropped, and any bytes end somewhere")
    func endless() {
        var decoder = KeyDecoder()
        _ = decoder.decode("\u{1B}[".utf8)
        _ = decoder.decode(Array(repeating: UInt8(ascii: "1"), count: 10_000))
        #expect(decoder.decode("\u{1B}[B".utf8).last == .down)

        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let common: [UInt8] = [0x1B, 0x5B, 0x4F, 0x31, 0x41]
        for _ in 0..<20_000 {
            // Few bytes, those that mean something often.
            let byte = UInt8.random(in: 0...255, using: &generator)
            _ = decoder.decode([Bool.random(using: &generator) ? byte : common[Int(byte) % common.count]])
        }
        _ = decoder.flush()
        #expect(decoder.decode("z".utf8) == [.character("z")], "seed \(seed)")
    }
}
