import TestSupport
import Testing
import TypeIdentifiers

@testable import pasteboard

@Suite(.pure)
struct VisibleTextTests {
    @Test("A line makes control characters visible, and leaves the rest unchanged")
    func line() {
        #expect(VisibleText.line("plain é 漢 👍") == "plain é 漢 👍")
        #expect(
            VisibleText.line("a\nb\t\u{1B}[m\u{7F}\u{85}\u{2028}\u{2066}")
                == #"a^Jb^I^[[m^?\xC2\x85\xE2\x80\xA8\xE2\x81\xA6"#
        )
    }

    @Test("A text looks the same however it is split into chunks")
    func pieces() {
        let bytes = Array("a\té漢👍\r\nb\rc\u{9B}\u{202E}\n".utf8) + [0xFF, 0xC3, 0x28, 0xE2, 0x82]
        let expected = "a\té漢👍\r\nb^Mc\\xC2\\x9B\\xE2\\x80\\xAE\n\\xFF\\xC3(\\xE2\\x82"
        for size in 1...bytes.count {
            var text = VisibleText()
            var output: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                output += text.append(bytes.span.extracting(start..<min(start + size, bytes.count)))
            }
            output += text.finish()
            #expect(String(decoding: output, as: UTF8.self) == expected)
            #expect(text.escapedCount == 10)
        }
    }

    @Test("Bytes count as text if and only if they are UTF-8 without NUL", arguments: Seeds.fixed(1))
    func validity(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            // Bytes that resemble the beginning of a sequence.
            let bytes = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                [0x00, 0x41, 0x80, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF]
                    .randomElement(using: &generator) ?? 0 as UInt8
            }
            let expected = String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
            try #require(Self.isText(bytes) == expected, "\(bytes)")
        }
        #expect(Self.isText([0x41, 0xE2, 0x82], isWhole: false))
        #expect(!Self.isText([0x41, 0xE2, 0x41], isWhole: false))
    }

    private static func isText(_ bytes: [UInt8], isWhole: Bool = true) -> Bool {
        UTF8Scan.isText(bytes.span, isWhole: isWhole)
    }

    @Test("JSON stays valid whatever the text is")
    func json() {
        let value: JSONValue = [
            "a\"b\\c": ["\u{0}\n\u{7F}\u{202E}é👍", .null, .number(.max)], "empty": [:], "none": JSONValue(String?.none),
        ]
        #expect(
            value.line
                == #"{"a\"b\\c":["\u0000\u000a\u007f\u202eé👍",null,18446744073709551615],"empty":{},"none":null}"#
                + "\n"
        )
    }

    @Test("Columns of a table are aligned by the cells of a terminal")
    func tables() {
        #expect(TextTable.text([[], []]) == "\n\n")
        #expect(TextTable.text([["e\u{301}", "x"], ["👨‍👩‍👧", "y"], ["abc", "z"]]) == "e\u{301}    x\n👨‍👩‍👧   y\nabc  z\n")
    }
}
