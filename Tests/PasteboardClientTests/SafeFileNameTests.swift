import PasteboardClient
import Testing
import TypeIdentifiers

struct SafeFileNameTests {
    @Test(
        "A suggested name becomes one harmless component",
        arguments: [
            ("report.pdf", "report.pdf"), ("../../etc/passwd", "_.._etc_passwd.pdf"), ("..", "pasted.pdf"),
            (".bashrc", "bashrc.pdf"), ("a/b\u{0}c\n.png", "a_b_c_.png"), ("-rf", "_rf.pdf"),
            ("gpj.\u{202E}exe", "gpj._exe.pdf"), ("", "pasted.pdf"), ("notes.", "notes.pdf"), ("  x  ", "x.pdf"),
            ("v1.2 final", "v1.2 final.pdf"), ("résumé.PDF", "résumé.PDF"),
        ]
    )
    func cleaned(suggested: String, expected: String) {
        #expect(SafeFileName(suggested: suggested, type: .pdf).candidate(1) == expected)
    }

    @Test("A name of a type without extension takes that of what it is a kind of, or none")
    func extensions() {
        #expect(SafeFileName(suggested: nil, type: .utf8PlainText).candidate(1) == "pasted.txt")
        #expect(SafeFileName(suggested: nil, type: .data).candidate(1) == "pasted")
    }

    @Test("A long name is cut between scalars, and keeps its extension and its number")
    func long() {
        let name = SafeFileName(suggested: String(repeating: "é", count: 200) + ".png", type: .png)
        #expect(name.candidate(1) == String(repeating: "é", count: 125) + ".png")
        #expect(name.candidate(12) == String(repeating: "é", count: 124) + " 12.png")
        #expect(name.candidate(1).utf8.count <= 255)
    }
}
