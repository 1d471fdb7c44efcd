import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// The errors that a process sends do not contain the directories of its files.
@Suite(.pure)
struct DirectoryFreeTextTests {
    @Test(
        "a path is shortened to its last component",
        arguments: [
            ("open /home/x/y.txt: No such file or directory", "open y.txt: No such file or directory"),
            ("/home/x/y", "y"),
            ("cannot read '/home/my docs/a report.pdf': gone", "cannot read 'a report.pdf': gone"),
            ("“/home/o'brien/x” is missing", "“x” is missing"),
            ("'/home/o'brien/x'", "'x'"),
            ("(/tmp/b/c)", "(c)"),
            ("[/home/x/a, /home/x/b]", "[a, b]"),
            ("see file:///home/x/y%20z.txt, or not", "see y%20z.txt, or not"),
            ("see file://localhost/home/x/y.txt", "see y.txt"),
            ("see FILE:///anywhere/x/y.txt", "see y.txt"),
            ("Dump(path: \"/home/x/y\", code: 2)", "Dump(path: \"y\", code: 2)"),
            ("Dump(text: \"no\\n/home/x/y\\tno file:///a/b\")", "Dump(text: \"no\\ny\\tno b\")"),
            ("Dump(text: \"no\\nfile:///a/b\")", "Dump(text: \"no\\nb\")"),
            ("no\n/home/x/y\t/home/x/z", "no\ny\tz"),
            ("NSFilePath=/home/x/y", "NSFilePath=y"),
            ("cc -I/home/x/secret -L /home/x/lib, @/home/x/args", "cc -Isecret -L lib, @args"),
            ("error:/home/x/y.swift:12:3: bad", "error:y.swift:12:3: bad"),
            ("the directory /home/x/dir/: full", "the directory dir/: full"),
            ("/home/x/(copy)", "(copy)"),
            ("/tmp/b /var/d", "b d"),
            ("//home/x/y", "y"),
            ("<p>/home/x/y</p>", "<p>y</p>"),
            ("cannot open ../../home/x/y.pdf", "cannot open y.pdf"),
            ("cannot open ../y.pdf", "cannot open y.pdf"),
            ("cannot open /home/x/My Documents/Acme/x.pdf", "cannot open x.pdf"),
            ("cannot open /home/x/my documents/Acme/x.pdf: gone", "cannot open x.pdf: gone"),
            ("cannot open /home/x/My Own Documents/Acme/x.pdf", "cannot open x.pdf"),
            ("cannot open /home/x/Box (Own)/Two Words/x.pdf", "cannot open x.pdf"),
            ("cannot open /home/x/My Documents/: full", "cannot open My Documents/: full"),
            ("cannot open /home/x/My\\ Documents/x.pdf", "cannot open x.pdf"),
            ("/home/x/y.pdf application/pdf", "y.pdf application/pdf"),
            ("/home/x/y text/plain", "y text/plain"),
            ("cannot copy /home/x/in to out/in", "cannot copy in to out/in"),
            ("/home/x/y: expected a/b", "y: expected a/b"),
            ("/home/x/y /home/x/z", "y z"),
            ("/home/x/y https://example.com/home/x", "y https://example.com/home/x"),
            ("cannot open /mnt/My Disk/Data/x y", "cannot open x y"),
        ]
    )
    func paths(text: String, expected: String) {
        #expect(text.withoutDirectories(roots: []) == expected)
    }

    @Test(
        "a directory of the process itself is removed even if it has spaces or follows a symbol",
        arguments: [
            ("no /mnt/My Disk/Me/secret/x.pdf", "no x.pdf"),
            ("no */mnt/My Disk/Me/x.pdf", "no *x.pdf"),
            ("no /volumes/b/c", "no c"),
            ("x/mnt/My Disk/Me/x.pdf", "x/mnt/My Disk/Me/x.pdf"),
        ]
    )
    func roots(text: String, expected: String) {
        #expect(text.withoutDirectories(roots: ["/mnt/My Disk/Me", "/volumes", "/"]) == expected)
    }

    @Test(
        "all other text stays as it is",
        arguments: [
            "https://example.com/a/b refused", "https://example.com/?next=/home/b", "https://[::1]/tmp/b",
            "either/or, 1/2, 50 % / year, a/b/c, ./x/y", "ein Gerät ä/b", "expected </title>, got </p>", "*/*",
            "application/json, */*", "€/kg", "(a+b)/c", "{x}/{y}", "[a]/tmp/b", "GET /users/42/orders",
            "regex /^[a-z]+\\/x$/", "/a/b /c/d", "/", "//", "/tmp", "cannot mount /dev/", "x\\/y", "file://",
            "file:///",
            "", "https://", "-I", "../", "..", "\\n/", "a: /",
        ]
    )
    func texts(text: String) {
        #expect(text.withoutDirectories(roots: []) == text)
    }

    @Test(
        "the address of a private type's context is removed",
        arguments: [
            ("Printer.(unknown context at $55d82927dc58).Jam", "Printer.Jam"),
            ("A(b: M.(unknown context at $5).B(c: M.(unknown context at $6).C()))", "A(b: M.B(c: M.C()))"),
            ("Printer.Jam (unknown)", "Printer.Jam (unknown)"),
        ]
    )
    func addresses(text: String, expected: String) {
        #expect(text.withoutContextAddresses == expected)
    }

    @Test("a failed ask is answered without directories in any text of the failure")
    func asks() throws {
        let source = SourceFailure(domain: "M.(unknown context at $5).E /home/x/d", code: 7, message: "no /home/x/y")
        let failure = Failure(.sourceFailed, "no /home/x/z", detail: "1 /home/x/a\n2 /home/x/b", source: source)
        let sent = failure.withoutDirectories
        #expect(sent.code == .sourceFailed)
        #expect(sent.text == "no z")
        #expect(sent.detail == "1 a\n2 b")
        #expect(sent.source == SourceFailure(domain: "M.E d", code: 7, message: "no y"))
    }
}
