import Glibc
import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure)
struct TextConverterTests {
    private func convert(_ bytes: [UInt8], _ source: String, _ target: String = "UTF-8") throws -> [UInt8] {
        let converter = try TextConverter(from: source, to: target)
        return try converter.next(bytes.span) + converter.finish()
    }

    @Test(
        "text is converted completely, whatever its length",
        arguments: [0, 1, 16 << 10, (16 << 10) + 1, 100_000]
    )
    func lengths(count: Int) throws {
        let bytes = [UInt8](repeating: 0xE9, count: count)
        let expected = [UInt8](String(repeating: "é", count: count).utf8)
        #expect(try convert(bytes, "ISO-8859-1") == expected)
    }

    @Test("bytes that a converter has withheld are written at the end")
    func stateful() throws {
        // A letter that a mark may follow, and the sequence that returns to ASCII.
        #expect(try convert([0x88, 0x66], "BIG5-HKSCS") == Array("Ê".utf8))
        #expect(try convert(Array("あ".utf8), "UTF-8", "ISO-2022-JP").suffix(3) == [0x1B, 0x28, 0x42])
    }

    @Test(
        "bytes that are not text cause an error that names the byte",
        arguments: [
            ([0x61, 0xFF], EILSEQ, "at byte 1"),
            ([0x61, 0x62, 0xC3], EINVAL, "at the end, inside the character at byte 2"),
        ] as [([UInt8], CInt, String)]
    )
    func invalid(bytes: [UInt8], code: CInt, place: String) throws {
        let error = #expect(throws: SystemError.self) { try convert(bytes, "UTF-8", "UTF-16") }
        #expect(error?.errno == code)
        #expect(error?.subject == "from UTF-8, \(place)")
    }

    @Test(
        "an unknown encoding causes an error, and a name cannot pass options",
        arguments: ["no-such", "", "UTF-8//IGNORE", "../x", "UTF-8\0", "é", String(repeating: "a", count: 65)]
    )
    func unknown(name: String) {
        let error = #expect(throws: SystemError.self) { try convert([0x61], name) }
        #expect(error?.errno == EINVAL)
    }
}
