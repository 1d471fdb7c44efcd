import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing
import TypeIdentifiers

@Suite(.pure)
struct SafeFileNameTests {
    @Test(
        "A suggested name becomes one harmless component",
        arguments: [
            ("report.pdf", "report.pdf"), ("../../etc/passwd", "_.._etc_passwd.pdf"), ("..", "pasted.pdf"),
            (".bashrc", "bashrc.pdf"), ("a/b\u{0}c\n.pdf", "a_b_c_.pdf"), ("-rf", "_rf.pdf"),
            ("gpj.\u{202E}exe", "gpj._exe.pdf"), ("", "pasted.pdf"), ("notes.", "notes.pdf"), ("  x  ", "x.pdf"),
            ("v1.2 final", "v1.2 final.pdf"), ("résumé.PDF", "résumé.PDF"), (" . . ", "pasted.pdf"),
            (".pdf", "pdf.pdf"), (". -x", "_x.pdf"), ("a\u{7F}\u{9B}\u{2028}\u{2066}\u{206A}b", "a_____b.pdf"),
            ("/", "_.pdf"), ("👩‍👩‍👧.pdf", "👩‍👩‍👧.pdf"), ("dossier é", "dossier é.pdf"),
        ]
    )
    func cleaned(suggested: String, expected: String) {
        #expect(SafeFileName(suggested: suggested, type: .pdf).candidate(1).description == expected)
    }

    @Test(
        "A name gets the type's extension unless it has an equivalent or narrower one",
        arguments: [
            ("icon", UniformType.png, "icon.png"), ("icon.png", .png, "icon.png"), ("icon.PNG", .png, "icon.PNG"),
            ("v1.2", .png, "v1.2.png"), ("photo.jpeg", .png, "photo.jpeg.png"), ("photo.jpg", .jpeg, "photo.jpg"),
            ("foo", .plainText, "foo.txt"), ("hello.txt", .plainText, "hello.txt"), ("foo", .utf8PlainText, "foo.txt"),
            ("hello.text", .utf8PlainText, "hello.text"), ("notes.md", .utf8PlainText, "notes.md"),
            ("main.swift", .plainText, "main.swift"), ("report.docx", .plainText, "report.docx.txt"),
            // Abstract types have no extension to add.
            ("a", .image, "a"), ("a.xyz", .data, "a.xyz"), ("a.tar.gz", .item, "a.tar.gz"),
        ]
    )
    func extensions(suggested: String, type: UniformType, expected: String) {
        #expect(SafeFileName(suggested: suggested, type: type).candidate(1).description == expected)
    }

    @Test("Without a suggestion the extension is that of the type or of its supertype, or there is none")
    func unnamed() {
        #expect(SafeFileName(suggested: nil, type: .utf8PlainText).candidate(1) == "pasted.txt")
        #expect(SafeFileName(suggested: nil, type: .data).candidate(1) == "pasted")
        #expect(SafeFileName(suggested: nil, type: .data).candidate(2) == "pasted 2")
    }

    @Test("A type that is unknown here keeps any extension, and otherwise gets that of its supertype")
    func unknown() {
        let type = UniformType(identifier: "org.example.stranger", supertypes: ["public.plain-text"])
        #expect(SafeFileName(suggested: "todo.note", type: type).candidate(1) == "todo.note")
        #expect(SafeFileName(suggested: "todo", type: type).candidate(1) == "todo.txt")
        let imported = UniformType(importedAs: "org.example.imported-recipe", conformingTo: .json)
        #expect(SafeFileName(suggested: "bread.recipe", type: imported).candidate(1) == "bread.recipe")
        #expect(SafeFileName(suggested: "bread", type: imported).candidate(1) == "bread.json")
    }

    @Test(
        "The extension of another program's type is added only if it is valid",
        arguments: [
            "d/../../escaped", "a\u{1B}[2J", "x\ny", "\u{202E}gpj", "a/b", String(repeating: "x", count: 290), " x",
        ]
    )
    func strangeExtensions(tag: String) throws {
        let spelled = UniformType(identifier: Self.dynamic("?0=6:1=\(tag)"), supertypes: [])
        for number in 1...2 {
            let name = SafeFileName(suggested: "foo", type: spelled).candidate(number).description
            #expect(name == (number == 1 ? "foo" : "foo 2"))
        }
    }

    /// The dynamic identifier of a descriptor.
    private static func dynamic(_ descriptor: String) -> String {
        let alphabet = Array("abcdefghkmnpqrstuvwxyz0123456789")
        var bits = descriptor.utf8.flatMap { byte in (0..<8).reversed().map { byte >> UInt8($0) & 1 } }
        while bits.count % 5 != 0 { bits.append(0) }
        let digits = stride(from: 0, to: bits.count, by: 5).map { start in
            alphabet[bits[start..<start + 5].reduce(0) { Int($0) << 1 | Int($1) }]
        }
        return "dyn.a" + String(digits)
    }

    @Test("An undeclared extension of up to 32 bytes is preserved by the dynamic type that contains it")
    func dynamic() throws {
        let type = try #require(UniformType(filenameExtension: "qqxyz"))
        #expect(SafeFileName(suggested: "a.QQXYZ", type: type).candidate(1) == "a.QQXYZ")
        #expect(SafeFileName(suggested: "a.b", type: type).candidate(1) == "a.b.qqxyz")
        for (count, name) in [(32, "a." + String(repeating: "q", count: 32)), (33, "a")] {
            let type = try #require(UniformType(filenameExtension: String(repeating: "q", count: count)))
            #expect(SafeFileName(suggested: "a", type: type).candidate(1).text == name)
        }
    }

    @Test("A long name is cut between characters, and keeps its extension and its number")
    func long() {
        let name = SafeFileName(suggested: String(repeating: "é", count: 200) + ".png", type: .png)
        #expect(name.candidate(1).text == String(repeating: "é", count: 125) + ".png")
        #expect(name.candidate(12).text == String(repeating: "é", count: 124) + " 12.png")
        #expect(name.candidate(1).bytes.count <= 255)
        let family = "👩‍👩‍👧"
        let families = SafeFileName(suggested: String(repeating: family, count: 40), type: .data).candidate(1)
        #expect(families.text == String(repeating: family, count: 255 / family.utf8.count))
    }

    @Test("A character that is longer than a name is cut between scalars")
    func zalgo() {
        let name = SafeFileName.component("a" + String(repeating: "\u{301}", count: 300))
        #expect(name == "a" + String(repeating: "\u{301}", count: 127))
    }

    @Test(
        "A component without a type keeps its extension, and nothing is added",
        arguments: [
            ("report", "report"), ("a/b.png", "a_b.png"), ("...", nil), ("", nil), (" ", nil), (".x", "x"),
            (".\u{301}x", "\u{301}x"), ("-\u{301}x", "_\u{301}x"), ("x\u{202E}gnp.exe", "x_gnp.exe"), ("a\0b", "a_b"),
            ("a. .", "a"),
        ] as [(String, String?)]
    )
    func component(suggested: String, expected: String?) {
        let name = SafeFileName.component(suggested)
        #expect(name.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    }

    @Test("A component has at most 255 bytes with its extension, and cleaning it again changes nothing")
    func longComponent() throws {
        for filler in ["a", "é", "漢", "👩‍👩‍👧", ". ", "a "] {
            let name = try #require(SafeFileName.component("x" + String(repeating: filler, count: 300) + "y.png"))
            #expect(name.utf8.count <= 255)
            #expect(name.hasSuffix(".png"))
            #expect(SafeFileName.component(name) == name)
        }
    }

    @Test(
        "A file's name is kept, except for what would change the directory, control a terminal or name an unfinished file",
        arguments: [
            ("Makefile", "Makefile"), ("runme", "runme"), (".bashrc", ".bashrc"), ("-x", "-x"), (" a ", " a "),
            ("notes.", "notes."), ("...", "..."), ("archive.tar.gz", "archive.tar.gz"), ("*", "*"),
            (".", "_"), ("..", "__"), ("a/b", "a_b"), ("a\nb", "a_b"), ("\u{1B}[2J", "_[2J"),
            ("gpj.\u{202E}exe", "gpj._exe"), ("", "pasted"),
            (".pasteboard-unfinished-0123456789abcdef", "_pasteboard-unfinished-0123456789abcdef"),
            (".pasteboard-unfinished-0123456789abcde", ".pasteboard-unfinished-0123456789abcde"),
            (".pasteboard-unfinished-0123456789abcdef0", ".pasteboard-unfinished-0123456789abcdef0"),
        ] as [(SystemString, SystemString)]
    )
    func ofFile(name: SystemString, expected: SystemString) {
        #expect(SafeFileName(ofFile: name).candidate(1) == expected)
    }

    @Test("A file's name that is not UTF-8 keeps its bytes, also when it is numbered or cut")
    func ofFileInBytes() {
        let name = SafeFileName(ofFile: SystemString([0x6E, 0xFF, 0x2E, 0x74, 0xC3]))
        #expect(name.candidate(1).bytes == [0x6E, 0xFF, 0x2E, 0x74, 0xC3])
        #expect(name.candidate(2).bytes == [0x6E, 0xFF, 0x2E, 0x74, 0xC3, 0x20, 0x32])
        let long = SafeFileName(ofFile: SystemString([UInt8](repeating: 0xFF, count: 255)))
        #expect(long.candidate(10).bytes == [UInt8](repeating: 0xFF, count: 252) + Array(" 10".utf8))
    }

    @Test("A number is inserted before a file's extension, and after a name without an extension")
    func numberedFile() {
        #expect(SafeFileName(ofFile: "a.16-bytes-or-less").candidate(2) == "a 2.16-bytes-or-less")
        #expect(SafeFileName(ofFile: "a.17-bytes-are-text").candidate(2) == "a.17-bytes-are-text 2")
        #expect(SafeFileName(ofFile: "a.png").candidate(2) == "a 2.png")
        #expect(SafeFileName(ofFile: ".bashrc").candidate(2) == ".bashrc 2")
        #expect(SafeFileName(ofFile: "Makefile").candidate(3) == "Makefile 3")
    }

    @Test("The name of a file takes precedence over a suggestion, and attributes without a name do not change it")
    func attributes() {
        var file = FileAttributes()
        #expect(SafeFileName(suggested: "x", file: file, type: .utf8PlainText).candidate(1) == "x.txt")
        file.name = Array("runme".utf8)
        #expect(SafeFileName(suggested: "x", file: file, type: .utf8PlainText).candidate(1) == "runme")
    }
}
