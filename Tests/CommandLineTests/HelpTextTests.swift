import TestSupport
import Testing

@testable import pasteboard

@Suite(.pure) struct HelpTextTests {
    @Test("A paragraph is broken between words, examples are unchanged, and empty lines separate")
    func paragraphs() {
        let words = Array(repeating: "word", count: 20).joined(separator: " ")
        let lines = HelpText.paragraphs("\(words)\nmore\n\n  an   example\n\nend").split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        #expect(lines[0] == Array(repeating: "word", count: 16).joined(separator: " "))
        #expect(lines.dropFirst() == ["word word word word more", "", "  an   example", "", "end"])
    }

    @Test("The second column of a row stays aligned, below a name that is too long for the first")
    func rows() {
        let long = Array(repeating: "word", count: 16).joined(separator: " ")
        #expect(
            HelpText.rows([("-a", long), ("--be", "short")]).split(separator: "\n") == [
                "  -a    word word word word word word word word word word word word word word",
                "        word word",
                "  --be  short",
            ]
        )
        let name = "--name TYPE=SOMETHING-LONGER"
        #expect(
            HelpText.rows([(name, "meaning"), ("-b", "other")])
                == "  \(name)\n\(String(repeating: " ", count: 28))meaning\n  -b\(String(repeating: " ", count: 24))other"
        )
    }

    @Test("A word longer than a line is not broken")
    func longWord() {
        let word = String(repeating: "x", count: 100)
        #expect(HelpText.paragraphs("a \(word) b") == "a\n\(word)\nb")
    }

    @Test(
        "A word is suggested if it is similar, and none if it is not",
        arguments: [
            ("cpoy", "copy"), ("copyy", "copy"), ("coyp", "copy"), ("pst", nil), ("tpes", "types"), ("zzz", nil),
            ("c", nil), ("", nil), ("--nmae", "--name"), ("--n", nil), ("--nothing-like-it-at-all-whatsoever-x", nil),
        ] as [(String, String?)]
    )
    func suggestions(word: String, meant: String?) {
        #expect(Suggestion(for: word, among: ["copy", "paste", "types", "--name", "-n"]).word == meant)
    }
}
