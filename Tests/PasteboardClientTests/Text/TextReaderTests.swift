import PasteboardClient
import TestSupport
import Testing
import TypeIdentifiers

/// The only conversion of text: from the encoding that its type declares to UTF-8.
@Suite(.pure) struct TextReaderTests {
    private static func type(_ name: String) throws -> UniformType {
        try #require(UniformType.fromName(name))
    }

    private static func utf16(_ text: String, isBig: Bool = false) -> [UInt8] {
        text.utf16.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
    }

    @Test(
        "Text becomes UTF-8, however its bytes are divided",
        arguments: [
            ("public.utf16-plain-text", utf16("žluť😀"), "žluť😀"),
            ("public.utf16-plain-text", [0xFF, 0xFE] + utf16("žluť😀"), "žluť😀"),
            ("public.utf16-plain-text", [0xFE, 0xFF] + utf16("žluť😀", isBig: true), "žluť😀"),
            ("public.utf16-external-plain-text", utf16("ž", isBig: true), "ž"),
            ("public.utf16-external-plain-text", [0xFF, 0xFE] + utf16("ž"), "ž"),
            ("text/plain", [0xFE, 0xFF] + utf16("ž", isBig: true), "ž"), ("public.utf16-plain-text", [0xFF, 0xFE], ""),
            ("text/plain;charset=utf-16", [0xFE, 0xFF] + utf16("ž", isBig: true), "ž"),
            ("text/plain;charset=UTF-16LE", utf16("ž"), "ž"),
            ("text/plain", [0xFF, 0xFE] + utf16("ž"), "ž"), ("text/plain", [0xEF, 0xBB, 0xBF, 0x61], "a"),
            ("text/plain", Array("ž".utf8), "ž"), ("text/plain", [], ""), ("public.utf16-plain-text", [], ""),
            ("text/plain;charset=\"ISO-8859-1\"", [0xE9], "é"), ("text/plain;charset=windows-1252", [0x80], "€"),
            ("com.apple.traditional-mac-plain-text", [0x8E, 0x61], "éa"),
            ("text/plain;charset=macintosh", [0x8E], "é"), ("text/plain;charset=shift_jis", [0x82, 0xA0], "あ"),
            ("text/html;charset=koi8-r", [0xC1], "а"), ("text/plain;charset=KOI8-R", [0xC1], "а"),
            ("text/plain;charset=utf-8", [0xC3, 0xA9], "é"), ("text/plain;charset=us-ascii", [0x61], "a"),
            ("text/plain;format=flowed;charset=iso-8859-1", [0xE9], "é"),
        ] as [(String, [UInt8], String)]
    )
    func converted(_ name: String, _ bytes: [UInt8], _ text: String) throws {
        let type = try Self.type(name)
        #expect(TextReader.reads(type))
        for count in 1...4 {
            var reader = TextReader(of: type)
            var output: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: count) {
                output += try reader.next(bytes[start..<min(start + count, bytes.count)].span)
            }
            output += try reader.finish()
            #expect(String(decoding: output, as: UTF8.self) == text)
        }
    }

    @Test("Text that ends inside a character, and an unknown encoding, are errors")
    func errors() throws {
        var reader = TextReader(of: .utf16PlainText)
        #expect(try reader.next([0x61, 0x00, 0x61].span) == [0x61])
        let error = #expect(throws: (any Error).self) { try reader.finish() }
        #expect("\(try #require(error))".contains("from UTF-16LE, at the end, inside the character at byte 2"))
        #expect(!TextReader.reads(try Self.type("text/plain;charset=klingon")))
        #expect(TextReader.reads(.png) && TextReader.reads(.html))
    }
}
