import PasteboardClient
import PasteboardTransport
import PasteboardWire
import Testing

/// What a process sends of its errors does not show where it keeps its files.
struct DirectoryFreeTextTests {
    @Test(
        "of an absolute path the last component is left, and everything else stays as it is",
        arguments: [
            ("open /home/x/y.txt: No such file or directory", "open y.txt: No such file or directory"),
            ("/home/x/y", "y"),
            ("cannot read '/home/my docs/a report.pdf': gone", "cannot read 'a report.pdf': gone"),
            ("“/home/o'brien/x” is missing", "“x” is missing"),
            ("'/home/o'brien/x'", "'x'"),
            ("(/a/b/c)", "(c)"),
            ("see file:///home/x/y%20z.txt, or not", "see y%20z.txt, or not"),
            ("Dump(path: \"/home/x/y\", code: 2)", "Dump(path: \"y\", code: 2)"),
            ("NSFilePath=/home/x/y", "NSFilePath=y"),
            ("the directory /home/x/dir/: full", "the directory dir/: full"),
            ("/home/x/(copy)", "(copy)"),
            ("/a/b /c/d", "b d"),
            ("https://example.com/a/b refused", "https://example.com/a/b refused"),
            ("either/or, 1/2, 50 % / year, a/b/c, ./x/y", "either/or, 1/2, 50 % / year, a/b/c, ./x/y"),
            ("ein Gerät ä/b", "ein Gerät ä/b"),
            ("", ""),
        ]
    )
    func texts(text: String, expected: String) {
        #expect(text.withoutDirectories == expected)
    }

    @Test("a failed ask is answered without directories, in all of the failure's texts")
    func asks() throws {
        let source = SourceFailure(domain: "d", code: 7, message: "no /home/x/y")
        let failure = Failure(.sourceFailed, "no /home/x/z", detail: "1 /home/x/a\n2 /home/x/b", source: source)
        let sent = failure.withoutDirectories
        #expect(sent.code == .sourceFailed)
        #expect(sent.text == "no z")
        #expect(sent.detail == "1 a\n2 b")
        #expect(sent.source == SourceFailure(domain: "d", code: 7, message: "no y"))
    }
}
