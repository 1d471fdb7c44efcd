import PasteboardTransport
import TestSupport
import Testing

/// `pasteboard copy` followed by `paste`, as whole processes.
@Suite(.processes) struct CommandLineCopyTests {
    nonisolated private static let buffers = [4 << 10, 64 << 10, 256 << 10, 1 << 20, 16 << 20]
    nonisolated private static let counts = thinned(
        [0, 4 << 10, (64 << 10) + 1, (1 << 20) - 1],
        full: [0, 1] + buffers.flatMap { (size: Int) -> [Int] in [size - 1, size, size + 1] }
    )

    @Test(
        "Bytes of any size are pasted unchanged from a file, a pipe and standard input",
        .tags(.f92),
        arguments: counts
    )
    func sizes(count: Int) throws {
        let desk = try Desk()
        let bytes = Desk.bytes(count)
        #expect(try desk.run("copy", "-t", "public.data", input: bytes).exitCode == 0)
        #expect(try desk.run("paste").output == bytes)

        try desk.directory.write(bytes, to: "file.bin")
        #expect(try desk.shell("cat file.bin | pasteboard copy --board piped -t .bin").exitCode == 0)
        #expect(try desk.run("paste", "--board", "piped").output == bytes)

        #expect(try desk.run("copy", "--board=named", "file.bin").exitCode == 0)
        #expect(try desk.shell("pasteboard paste --board named | cat").output == bytes)
        #expect(try desk.run("paste", "--board", "named", "-o", "out.bin").exitCode == 0)
        #expect(try desk.directory.contents(of: "out.bin") == bytes)
    }

    @Test("Copy and paste find the same socket, wherever it is", arguments: Desk.Place.allCases)
    func places(place: Desk.Place) throws {
        let desk = try Desk(place)
        try desk.copy("hello\n")
        #expect(try desk.run("paste").text == "hello\n")
        #expect(try desk.run("version").text.contains("\nbroker "))
    }

    @Test("A copy whose output and errors are captured returns, and no process keeps them open", .tags(.f91))
    func captured() throws {
        let desk = try Desk()
        try desk.directory.write("kept", to: "f.txt")
        let copy = try desk.shell("x=$(pasteboard copy <f.txt 2>&1); echo \"$? [$x]\"; pasteboard paste")
        #expect(copy.text == "0 []\nkept")
    }

    @Test(
        "Standard input is text if it starts as text",
        .tags(.f93),
        arguments: [
            ("", "public.utf8-plain-text"), ("MM", "public.utf8-plain-text"), ("<?php", "public.utf8-plain-text"),
            ("a\u{0}b", "public.data"),
            (String(repeating: "a", count: 65_535) + "é rest", "public.utf8-plain-text"),
            (String(repeating: "a", count: 65_536) + "\u{0}", "public.utf8-plain-text"),
        ]
    )
    func sniffing(text: String, type: String) throws {
        let desk = try Desk()
        try desk.copy(text)
        #expect(try desk.run("types").text.hasPrefix("\(type)  \(text.utf8.count)  kept"))
        #expect(try desk.run("paste").text == text)
    }

    @Test("Bytes that are not UTF-8 are data", .tags(.f93))
    func noText() throws {
        let desk = try Desk()
        #expect(try desk.run("copy", input: [0x61, 0xC3]).exitCode == 0)
        #expect(try desk.run("types").text == "public.data  2  kept\n")
    }

    @Test("Each file is an item, with the type of its extension and its name")
    func files() throws {
        let desk = try Desk()
        try desk.directory.write("text", to: "a.txt")
        try desk.directory.write("picture", to: "b.png")
        try desk.directory.write("no extension", to: "README")
        #expect(try desk.run("copy", "--", "a.txt", "b.png", "README").exitCode == 0)
        let rows = try desk.run("types").text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(
            rows == [
                ["public.plain-text", "4", "kept", "item", "1", "a.txt"],
                ["public.png", "7", "kept", "item", "2", "b.png"],
                ["public.utf8-plain-text", "12", "kept", "item", "3", "README"],
            ]
        )
    }

    @Test("Several -t options make one item with several types")
    func representations() throws {
        let desk = try Desk()
        try desk.directory.write("notes", to: "notes.txt")
        try desk.directory.write("<p>notes", to: "notes.html")
        let copy = try desk.run(
            "copy",
            "-t",
            "text/plain;charset=utf-8=notes.txt",
            "-t.html=notes.html",
            "-tpublic.rtf",
            input: Array("rtf".utf8)
        )
        #expect(copy.exitCode == 0, "\(copy.errorText)")
        #expect(
            try desk.run("types").text.split(separator: "\n").compactMap { $0.split(separator: " ").first }
                == ["public.utf8-plain-text", "public.html", "public.rtf"]
        )
        #expect(try desk.run("paste").text == "notes")
        #expect(try desk.run("paste", "-t", "text/html").text == "<p>notes")
        #expect(try desk.run("paste", "-t", "image", "-t", "public.rtf", "-t", "text").text == "rtf")
    }

    @Test("One newline at the end is left out on request, wherever a chunk ends")
    func trimming() throws {
        let desk = try Desk()
        for (text, trimmed) in [("a\n\n", "a\n"), ("\n", ""), ("", ""), ("a", "a"), ("a\r\n", "a\r")] {
            try desk.copy(text, "-n")
            #expect(try desk.run("paste").text == trimmed)
            try desk.copy(text)
            #expect(try desk.run("paste", "-n").text == trimmed)
            #expect(try desk.run("paste").text == text)
        }
        let long = Array(repeating: UInt8(ascii: "\n"), count: 300_000)
        #expect(try desk.run("copy", "-n", "-t", "text", input: long).exitCode == 0)
        #expect(try desk.run("paste").output.count == 299_999)
    }

    @Test("Line endings are changed on request, also of long text, and an empty input changes nothing on request")
    func inputs() throws {
        let desk = try Desk()
        let long = String(repeating: "line\n", count: 200_000)
        for text in ["a\nb", long] {
            try desk.copy(text, "--crlf")
            let changed = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
            #expect(try desk.run("paste").text == changed)
            #expect(try desk.run("paste", "--lf").text == text)
        }
        try desk.copy("a\n", "-t", ".png", "--crlf")
        #expect(try desk.run("paste", "--crlf").text == "a\n")
        for input in ["", "\n", "\r\n"] {
            let refused = try desk.shell("printf '\(input)' | pasteboard copy -n --lf --not-empty")
            #expect(refused.exitCode == 1)
            #expect(
                refused.errorText == "pasteboard: copy: the input is empty, so pasteboard general keeps its contents\n"
            )
        }
        #expect(try desk.run("paste").text == "a\n")
        #expect(try desk.shell("printf 'b\n' | pasteboard copy -n --not-empty; pasteboard paste").text == "b")
    }

    @Test("A newline is added to text on request, and never to other contents or to files")
    func newline() throws {
        let desk = try Desk()
        let large = String(repeating: "a", count: 3_000_000)
        for text in ["a", "a\n", "", large] {
            try desk.copy(text)
            #expect(try desk.run("paste", "--newline").text == text + "\n")
        }
        try desk.copy("a", "-t", "public.data")
        #expect(try desk.run("paste", "--newline").text == "a")
        for arguments in ["-o file", "--into ."] {
            let refused = try desk.shell("pasteboard paste --newline \(arguments)")
            #expect(refused.exitCode == 2)
            #expect(refused.errorText == "pasteboard: paste: --newline has no effect on files; omit it\n")
        }
    }

    @Test("Unreadable input is reported, and the old contents stay", .tags(.f66))
    func unreadable() throws {
        let desk = try Desk()
        try desk.copy("old")
        let missing = try desk.run("copy", "missing")
        #expect(missing.exitCode == 4)
        let reason = "No such file or directory"
        #expect(
            missing.errorText
                == "pasteboard: copy: cannot read missing: \(reason); to copy this text: pasteboard copy -e missing\n"
        )
        #expect(try desk.run("copy", "two words").errorText.hasSuffix(": pasteboard copy -e 'two words'\n"))
        #expect(try desk.run("copy", "--", "-x").errorText.hasSuffix(": pasteboard copy -e -- '-x'\n"))
        for name in ["missing.txt", "./missing", "it's"] {
            #expect(try desk.run("copy", name).errorText == "pasteboard: copy: cannot read \(name): \(reason)\n")
        }
        let directory = try desk.run("copy", "/")
        #expect(directory.exitCode == 4)
        #expect(
            directory.errorText
                == "pasteboard: copy: cannot archive /: the root directory has no name; choose a folder in it\n"
        )
        // A file that can be opened but not read.
        #expect(try desk.run("copy", "/proc/self/mem").exitCode == 4)
        #expect(try desk.shell("pasteboard copy <&-").exitCode == 4)
        #expect(try desk.run("paste").text == "old")
    }

    @Test("An interrupted copy leaves the old contents", .tags(.f80))
    func interrupted() throws {
        let desk = try Desk()
        try desk.copy("old")
        let pipe = try System.pipe()
        let copy = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            ["copy"],
            environment: desk.environment,
            input: pipe.first.raw
        )
        try System.write(Array("new".utf8).span, to: pipe.second.raw)
        try copy.child.kill(2)
        #expect(try copy.finish().exitCode == 130)
        #expect(try desk.run("paste").text == "old")
    }
}
