import TestSupport
import Testing

@testable import TerminalTable

@Suite("Keys", .inProcess)
struct KeyDecoderTests {
    static let keys: [(String, [Key])] = [
        ("a", [.character("a")]), (" ", [.character(" ")]), ("é", [.character("é")]), ("語", [.character("語")]),
        ("🚀", [.character("🚀")]), ("\u{1B}[A", [.up]), ("\u{1B}[B", [.down]), ("\u{1B}[C", [.right]),
        ("\u{1B}[D", [.left]), ("\u{1B}OA", [.up]), ("\u{1B}OF", [.end]), ("\u{1B}OM", [.enter]), ("\u{1B}[H", [.home]),
        ("\u{1B}[1~", [.home]), ("\u{1B}[7~", [.home]), ("\u{1B}[4~", [.end]), ("\u{1B}[8~", [.end]),
        ("\u{1B}[5~", [.pageUp]), ("\u{1B}[6~", [.pageDown]), ("\u{1B}[Z", [.backTab]),
        // With the control or shift key held.
        ("\u{1B}[1;5A", [.up]), ("\u{1B}[5;2~", [.pageUp]), ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]),
        ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]), ("\u{3}", [.control("c")]), ("\u{1A}", [.control("z")]),
        // Answers and reports of a terminal, unsupported keys, and other controls.
        ("\u{1B}[?1;2c", []), ("\u{1B}[15~", []), ("\u{1B}[3~", []), ("\u{0}", []), ("\u{85}", []),
        ("x\u{1B}[Ay", [.character("x"), .up, .character("y")]),
        // Pasted text is ignored, and a paste without an end does not prevent quitting.
        ("\u{1B}[200~q\r\u{1B}\u{1B}[A\u{1B}[201~x", [.character("x")]), ("\u{1B}[201~x", [.character("x")]),
        ("\u{1B}[200~q\u{3}q", [.control("c"), .character("q")]),
        // Two keys: the second shows that the first was not the beginning of a sequence.
        ("\u{1B}q", [.escape, .character("q")]), ("\u{1B}\u{1B}[A", [.escape, .up]),
        ("\u{1B}é", [.escape, .character("é")]),
        ("\u{1B}[1\u{1B}[A", [.up]), ("\u{1B}[\u{3}", [.control("c")]),
    ]

    @Test("each key is decoded from its bytes", arguments: keys)
    func whole(text: String, expected: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(text.utf8) == expected)
        #expect(!decoder.isWaiting)
    }

    @Test("bytes that arrive one by one are decoded to the same keys", arguments: keys)
    func split(text: String, expected: [Key]) {
        var decoder = KeyDecoder()
        let keys = text.utf8.flatMap { decoder.decode([$0]) }
        #expect(keys == expected)
        #expect(!decoder.isWaiting)
    }

    @Test("the escape key alone is recognized after the timeout")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]).isEmpty)
        #expect(decoder.isWaiting)
        #expect(decoder.flush() == [.escape])
        #expect(!decoder.isWaiting)
        #expect(decoder.flush().isEmpty)
    }

    @Test("invalid UTF-8 is dropped, and the keys after it are decoded")
    func invalid() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0xFF, 0x80, 0xC0, 0xE2, 0x82, 0x61]) == [.character("a")])
        #expect(decoder.decode([0xED, 0xA0, 0x80, 0xF4, 0x90, 0x80, 0x80]).isEmpty)
        #expect(decoder.decode([0xF0, 0x9F]).isEmpty)
        #expect(decoder.flush().isEmpty)
        #expect(decoder.decode([0x62]) == [.character("b")])
    }

    @Test("a sequence without an end is dropped")
    func endless() {
        var decoder = KeyDecoder()
        _ = decoder.decode("\u{1B}[".utf8)
        _ = decoder.decode(Array(repeating: UInt8(ascii: "1"), count: 10_000))
        #expect(decoder.decode("\u{1B}[B".utf8).last == .down)
    }

    @Test("decoding recovers from any bytes", arguments: Seeds.fixed(1))
    func recovery(seed: UInt64) {
        var decoder = KeyDecoder()
        var generator = SeededGenerator(seed: seed)
        let common: [UInt8] = [0x1B, 0x5B, 0x4F, 0x31, 0x41]
        for _ in 0..<20_000 {
            // Random bytes, with frequent significant ones.
            let byte = UInt8.random(in: 0...255, using: &generator)
            _ = decoder.decode([Bool.random(using: &generator) ? byte : common[Int(byte) % common.count]])
        }
        _ = decoder.flush()
        #expect(decoder.decode("z".utf8) == [.character("z")])
    }
}
