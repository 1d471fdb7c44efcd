import TestSupport
import Testing
import TypeIdentifiers

@testable import pasteboard

/// The changes to bytes that options of `copy` and `paste` request.
@Suite(.pure) struct TextFilterTests {
    private static func options(_ words: String) -> TextFilter.Options {
        var options = TextFilter.Options()
        options.lineEnding = words.contains("crlf") ? .crlf : words.contains("lf") ? .lf : nil
        options.trimsNewline = words.contains("trim")
        options.addsNewline = words.contains("add")
        options.convertsToUTF8 = words.contains("utf8")
        return options
    }

    @Test(
        "Line endings and the last newline are changed as requested, however the bytes are divided",
        arguments: [
            ("lf", "a\r\nb\n\rc\r\r\n", "a\nb\n\rc\r\n"), ("crlf", "a\nb\r\n\n", "a\r\nb\r\n\r\n"),
            ("lf", "a\r", "a\r"), ("crlf", "\r\n", "\r\n"), ("trim", "a\r\n\n", "a\r\n"), ("trim", "\n", ""),
            ("lf trim", "a\r\n", "a"), ("crlf trim", "a\n\r\n", "a\r\n"), ("crlf add", "a", "a\r\n"),
            ("add", "a\n", "a\n\n"), ("trim add", "a\n", "a\n"), ("", "a\r\n", "a\r\n"), ("lf", "", ""),
        ]
    )
    func lines(_ words: String, _ input: String, _ expected: String) throws {
        let bytes = Array(input.utf8)
        for count in 1...3 {
            var filter = TextFilter(Self.options(words), type: .utf8PlainText)
            var output: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: count) {
                output += try filter.next(bytes[start..<min(start + count, bytes.count)].span)
            }
            output += try filter.finish()
            #expect(String(decoding: output, as: UTF8.self) == expected)
        }
    }

    @Test("Only text is changed, and text of two bytes a character only after its conversion")
    func types() throws {
        #expect(TextFilter(Self.options("lf add utf8"), type: .png).isEmpty)
        #expect(!TextFilter(Self.options("trim"), type: .png).isEmpty)
        #expect(TextFilter(Self.options("crlf add trim"), type: .utf16PlainText).isEmpty)
        var filter = TextFilter(Self.options("crlf add utf8"), type: .utf16PlainText)
        #expect(try filter.next([0x61, 0, 0x0A, 0].span) + filter.finish() == Array("a\r\n\r\n".utf8))
        #expect(TextFilter(Self.options("utf8"), type: .utf8PlainText).isEmpty)
    }
}
