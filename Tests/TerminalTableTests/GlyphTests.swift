import TestSupport
import Testing

@testable import TerminalTable

@Suite("Glyphs", .inProcess)
struct GlyphTests {
    @Test(
        "a character has as many columns as a reader sees",
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("e\u{301}\u{323}\u{304}", 1), ("ß", 1), ("я", 1), ("…", 1), ("─", 1),
            ("語", 2), ("が", 2), ("か\u{3099}", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
            ("🚀", 2), ("❤", 1), ("❤️", 2), ("☕", 2), ("👍🏽", 2), ("☝🏽", 2), ("👩‍👩‍👧‍👦", 2), ("🏳️‍🌈", 2), ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", 2), ("🇩🇪", 2),
            ("1️⃣", 2),
            ("𠮷", 2), ("ก็", 1), ("ש", 1), ("", 0), ("\u{301}", 1), ("\u{200B}", 1), ("a\u{200D}", 1),
        ]
    )
    func columns(text: String, expected: Int) {
        #expect(text.columns == expected)
    }

    @Test("widths add up")
    func sum() {
        #expect("Zürich 東京 👩‍👩‍👧‍👦!".columns == 15)
    }

    @Test(
        "text of another program never reaches a terminal as a control sequence",
        arguments: [
            "\u{1B}[2J", "a\r\nb", "\u{9B}31m", "\u{7}", "\u{202E}gpj", "\u{2028}", "\u{7F}", "\u{0}", "\u{200F}",
            "\u{85}",
        ]
    )
    func controls(text: String) {
        let shown = text.glyphs.map(\.text).joined()
        let harmful = shown.unicodeScalars.filter {
            $0.properties.generalCategory == .control || [0x202E, 0x2028, 0x200F].contains($0.value)
        }
        #expect(harmful.isEmpty)
        #expect(text.columns == text.count)
    }

    @Test("control characters are shown as their control pictures")
    func pictures() {
        #expect("\u{1B}[2J\t".glyphs.map(\.text).joined() == "␛[2J␉")
    }

    @Test("text that is too long for a sentence ends with an ellipsis")
    func shortened() {
        #expect("Yosemite".shortened(to: 8) == "Yosemite")
        #expect("Yosemite".shortened(to: 5) == "Yose…")
        #expect("東京東京".shortened(to: 6) == "東京…")
        #expect("\u{1B}[2J".shortened(to: 2) == "␛…")
        #expect("Yosemite".shortened(to: 0).isEmpty)
    }

    @Test("a letter with thousands of accents is drawn with some of them")
    func accents() {
        let glyphs = ("o" + String(repeating: "\u{301}", count: 5000)).glyphs
        #expect(glyphs.count == 1)
        #expect(glyphs[0].columns == 1)
        #expect(glyphs[0].text.unicodeScalars.count < 50)
    }
}
