import TestSupport
import Testing

@Suite(.pure) struct LinePatternTests {
    @Test(
        "A line is compared with its pattern byte by byte",
        arguments: [
            ("a b", "a b", true), ("a b", "a  b", false), ("e\u{301}", "é", false), ("pid 12.", "pid <number>.", true),
            ("pid .", "pid <number>.", false), ("pid 1x.", "pid <number>.", false), ("a", "<any>a", true),
            ("xaya", "<any>a", true), ("xay", "<any>a", false), ("1 2 3", "<number> <any> <number>", true),
            ("", "x", false),
        ]
    )
    func lines(line: String, pattern: String, isEqual: Bool) {
        #expect(LinePattern.matches(Array(line.utf8), pattern) == isEqual)
    }

    @Test(
        "Three dots stand for any number of lines, and a missing newline counts",
        arguments: [
            ("a\nb\n", ["a", "b"], true), ("a\nb\n", ["a"], false), ("a\n", ["a", "b"], false), ("", [], true),
            ("\n", [""], true), ("a\n", ["..."], true), ("", ["..."], true), ("a\nb\nc\n", ["...", "c"], true),
            ("a\nb\nc\n", ["...", "b"], false), ("a", ["a"], false), ("a", ["a (no-eol)"], true),
        ]
    )
    func texts(text: String, patterns: [String], isEqual: Bool) {
        #expect(LinePattern.matches(LinePattern.lines(Array(text.utf8))[...], patterns[...]) == isEqual)
    }
}
