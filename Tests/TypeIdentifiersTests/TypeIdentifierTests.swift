import TestSupport
import Testing
import TypeIdentifiers

@Suite("The grammar of identifiers", .pure)
struct TypeIdentifierTests {
    @Test(
        "Letters, digits, hyphen, dot, underscore and non-ASCII characters are allowed",
        arguments: ["a", "public.png", "A-Z_0.9", "com.example.größe", "com.example.型", "com.example.😀", "\u{A1}", "."]
    )
    func wellFormed(_ identifier: String) {
        #expect(TypeIdentifier.isWellFormed(identifier))
    }

    @Test(
        "All other characters are not allowed",
        arguments: [
            "", " ", "a b", "a:b", "a/b", "text/plain", "a\u{0}", "a\u{7F}", "a\n", "a+b", "a@b", "a[", "a`", "a{",
            "\u{80}", "a\u{85}b", "a\u{9F}", "a\u{A0}b", "ä:b", "a\u{61C}", "a\u{200E}", "a\u{200F}", "a\u{202A}",
            "a\u{202E}b", "a\u{2028}", "a\u{2066}", "a\u{2069}",
        ]
    )
    func illFormed(_ identifier: String) {
        #expect(!TypeIdentifier.isWellFormed(identifier))
    }

    @Test("The length is 1 to 512 bytes of UTF-8")
    func length() {
        #expect(TypeIdentifier.maximumLength == 512)
        #expect(TypeIdentifier.isWellFormed(String(repeating: "a", count: 512)))
        #expect(!TypeIdentifier.isWellFormed(String(repeating: "a", count: 513)))
        #expect(TypeIdentifier.isWellFormed(String(repeating: "é", count: 256)))
        #expect(!TypeIdentifier.isWellFormed(String(repeating: "é", count: 257)))
    }
}
