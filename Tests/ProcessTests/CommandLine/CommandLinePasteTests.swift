import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard paste`: its choice of type, its output and its errors.
@Suite(.processes) struct CommandLinePasteTests {
    @Test("An empty pasteboard and a missing broker are both empty; an empty value is not", .tags(.f92))
    func nothing() throws {
        let desk = try Desk()
        for arguments in [["paste"], ["types"], ["paste", "--into", "."]] {
            let looked = try desk.shell("pasteboard \(arguments.joined(separator: " "))")
            #expect(looked.exitCode == 1)
            #expect(looked.errorText == "pasteboard: \(arguments[0]): pasteboard general is empty\n")
        }
        // Looking has started no broker.
        #expect(try desk.run("status").exitCode == 3)

        try desk.copy("")
        let empty = try desk.run("paste")
        #expect(empty.exitCode == 0)
        #expect(empty.output.isEmpty)
        #expect(try desk.run("paste", "--board", "other").exitCode == 1)
        #expect(try desk.run("clear").exitCode == 0)
        #expect(try desk.run("paste").exitCode == 1)
        #expect(try desk.run("types").exitCode == 1)
    }

    @Test("An item that was pasted as often as it may be keeps no other item back")
    func usedItem() throws {
        let desk = try Desk()
        try desk.succeed("echo a >a; echo b >b; mkdir d; pasteboard copy --once a b; pasteboard paste --item 1")
        let rest = try desk.run("paste", "--into", "d")
        #expect(rest.exitCode == 1 && rest.text == "d/b\n")
        #expect(rest.errorText == "pasteboard: paste: item 1: the item could be loaded once, and was\n")
    }

    @Test("Of several encodings of a text the best is pasted, and an exact type gives its bytes")
    func encodings() throws {
        let desk = try Desk()
        let types = ["com.apple.traditional-mac-plain-text", "public.utf16-plain-text", "public.utf8-plain-text"]
        let files = [Array("mac \u{8E}".unicodeScalars.map { UInt8($0.value) }), [0xE9, 0], Array("utf8 é".utf8)]
        for (type, bytes) in zip(types, files) { try desk.directory.write(bytes, to: type) }
        for (count, text) in [(3, "utf8 é"), (2, "é"), (1, "mac é")] {
            let arguments = types.prefix(count).map { "-t \($0)=\($0)" }.joined(separator: " ")
            try desk.succeed("pasteboard copy \(arguments)")
            for request in ["text", "txt", "text/plain", "text/plain;charset=UTF-8", "public.utf8-plain-text"] {
                #expect(try desk.run("paste", "-t", request).text == text)
            }
            for (type, bytes) in zip(types, files).prefix(count) where count < 3 || type != types[2] {
                #expect(try desk.run("paste", "-t", type).output == bytes)
            }
            #expect(try desk.run("paste").output == files[count - 1])
        }
        try desk.copy("%!PS", "-t", ".ps")
        #expect(try desk.run("paste", "-t", "text").text == "%!PS")
        try desk.copy("a", "-t", "text/plain;charset=klingon", "--loads", "2")
        let unknown = try desk.shell("pasteboard paste -t text; pasteboard info | grep pasted")
        #expect(unknown.exitCode == 0 && unknown.text.hasSuffix("can be pasted once\n"))
        #expect(unknown.errorText.contains("in the encoding klingon"))
        #expect(try desk.run("copy", "-t", "public.utf16-plain-text", input: [0x61, 0, 0x61]).exitCode == 0)
        let broken = try desk.run("paste", "-t", "text")
        #expect(broken.exitCode == 5 && broken.errorText.contains("inside the character at byte 2"))
    }

    @Test("The error for a missing type lists the existing ones")
    func unavailable() throws {
        let desk = try Desk()
        try desk.copy("{}", "-t", ".json")
        let paste = try desk.run("paste", "-t", "image")
        #expect(paste.exitCode == 1)
        #expect(
            paste.errorText
                == "pasteboard: paste: no representation is of type public.image; available:\n  public.json\n"
        )
        #expect(paste.output.isEmpty)
    }

    @Test("The requested item is pasted; without a request a note reports further items")
    func items() throws {
        let desk = try Desk()
        try desk.directory.write("one", to: "1.txt")
        try desk.directory.write("two", to: "2.txt")
        try desk.run("copy", "1.txt", "2.txt")
        let first = try desk.run("paste")
        #expect(first.text == "one")
        #expect(first.errorText == "pasteboard: paste: this is item 1 of 2; see --item and --into\n")
        let second = try desk.run("paste", "--item", "2")
        #expect(second.text == "two")
        #expect(second.errorText.isEmpty)
        #expect(try desk.run("paste", "--item", "3").exitCode == 1)
        #expect(try desk.run("paste", "--item", "0").exitCode == 2)
    }

    @Test("A type is looked for in all items; the error for a missing type lists those of the pasteboard")
    func typeInAnyItem() throws {
        let desk = try Desk()
        for (name, text) in [("1.png", "p1"), ("2.txt", "t2"), ("3.png", "p3"), ("4.txt", "t4")] {
            try desk.directory.write(text, to: name)
        }
        try desk.run("copy", "1.png", "2.txt", "3.png", "4.txt")
        let text = try desk.run("paste", "-t", "text")
        #expect(text.text == "t2")
        #expect(text.errorText == "pasteboard: paste: this is item 2 of 4; see --item and --into\n")
        #expect(try desk.run("paste", "-t", ".pdf", "-t", "image").text == "p1")
        _ = try desk.directory.makeDirectory("d")
        let into = try desk.run("paste", "--into", "d", "-t", "text")
        #expect(into.exitCode == 0)
        #expect(into.text == "d/2.txt\nd/4.txt\n")
        for arguments in ["", "--into d"] {
            let none = try desk.shell("pasteboard paste -t .pdf \(arguments)")
            #expect(none.exitCode == 1)
            #expect(none.output.isEmpty)
            #expect(
                none.errorText.hasSuffix(
                    "is of type com.adobe.pdf; available:\n  item 1: public.png\n  item 2: public.plain-text\n"
                        + "  item 3: public.png\n  item 4: public.plain-text\n"
                )
            )
        }
        let one = try desk.run("paste", "-t", "text", "--item", "3")
        #expect(one.exitCode == 1 && one.errorText.hasSuffix("available:\n  public.png\n"))
    }

    @Test("A file whose extension contradicts the type of its contents causes a note")
    func otherTypeThanNamed() throws {
        let desk = try Desk()
        try desk.copy("text")
        let paste = try desk.run("paste", "-o", "x.png")
        #expect(paste.exitCode == 0)
        #expect(
            paste.errorText
                == "pasteboard: paste: the item has no representation of type public.png; x.png contains public.utf8-plain-text\n"
        )
        for arguments in ["-o x.txt", "-o x", "-o x.unknown", "-t text -o x.png", "-q -o x.png"] {
            #expect(try desk.shell("pasteboard paste \(arguments)").errors.isEmpty)
        }
    }

    @Test("The extension of the output file chooses among the types")
    func typeByOutput() throws {
        let desk = try Desk()
        try desk.directory.write("text", to: "t")
        try desk.directory.write("picture", to: "p")
        try desk.run("copy", "-t", "text=t", "-t", ".png=p")
        #expect(try desk.run("paste", "-o", "out.png").exitCode == 0)
        #expect(try desk.run("paste", "-o", "out.txt").exitCode == 0)
        #expect(try desk.directory.contents(of: "out.png") == Array("picture".utf8))
        #expect(try desk.directory.contents(of: "out.txt") == Array("text".utf8))
        #expect(try desk.run("paste", "-o", "-").text == "text")
    }

    @Test("A complete load replaces a file, through a link and with its mode; a failed one changes nothing")
    func replacing() throws {
        let desk = try Desk()
        try desk.directory.write("before", to: "real")
        #expect(chmod(desk.directory["real"], 0o640) == 0)
        #expect(symlink("real", desk.directory["link"]) == 0)
        let offer = try desk.offer(["-t", "text=echo half; exit 3"])
        let failed = try desk.run("paste", "-o", "link")
        #expect(failed.exitCode == 5)
        #expect(failed.errorText.contains("ended with status 3"))
        #expect(try desk.directory.contents(of: "real") == Array("before".utf8))
        #expect(!desk.directory.names().contains { $0.hasPrefix(".pasteboard-") })

        try desk.copy("after")
        #expect(try offer.finish().exitCode == 0)
        #expect(try desk.run("paste", "-o", "link").exitCode == 0)
        #expect(try desk.directory.contents(of: "real") == Array("after".utf8))
        let status = try System.status(at: desk.directory["real"])
        #expect(status?.mode == 0o640)
        #expect(try System.status(at: desk.directory["link"])?.kind == .symbolicLink)
    }

    @Test("A device is written to, a directory and a missing directory are refused")
    func specialOutputs() throws {
        let desk = try Desk()
        try desk.copy("bytes")
        #expect(try desk.run("paste", "-o", "/dev/null").exitCode == 0)
        #expect(try System.status(at: "/dev/null")?.kind == .device)
        #expect(try desk.run("paste", "-o", "/dev/full").exitCode == 4)
        #expect(try desk.run("paste", "-o", ".").exitCode == 4)
        #expect(try desk.run("paste", "-o", "missing/file").exitCode == 4)
        #expect(try desk.run("paste", "--into", "missing").exitCode == 4)
        #expect(try desk.run("paste", "-o", "a", "--into", ".").exitCode == 2)
    }

    @Test("All items go into a directory under their names, and replace nothing")
    func into() throws {
        let desk = try Desk()
        try desk.directory.write("one", to: "a.txt")
        try desk.directory.write("two", to: "b.png")
        _ = try desk.directory.makeDirectory("d")
        try desk.run("copy", "a.txt", "b.png")
        #expect(try desk.run("paste", "--into", "d").text == "d/a.txt\nd/b.png\n")
        #expect(try desk.run("paste", "--into", "d").text == "d/a 2.txt\nd/b 2.png\n")
        #expect(desk.directory.names(in: "d") == ["a 2.txt", "a.txt", "b 2.png", "b.png"])
        // A dangling link is not replaced either.
        #expect(symlink("nowhere", desk.directory["d/a 3.txt"]) == 0)
        #expect(try desk.run("paste", "--into", "d", "--item", "1").text == "d/a 4.txt\n")
        try desk.copy("nameless")
        #expect(try desk.run("paste", "--into", "d").text == "d/pasted.txt\n")
        try desk.copy("named", "--name", "..hidden", "-t", ".json")
        #expect(try desk.run("paste", "--into", "d").text == "d/hidden.json\n")
    }

    @Test("A load ends at its timeout")
    func timeout() throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=echo $$ >pid; exec sleep 600"])
        var errors = ""
        // The load gets the time that connecting has left over, which may be nothing on a busy machine.
        for limit in ["1s", "10s", "100s"] where !errors.contains("the load did not end within ") {
            let paste = try desk.run("paste", "--timeout", limit)
            #expect(paste.exitCode == 7)
            errors = paste.errorText
        }
        #expect(errors.contains("the load did not end within "))
        _ = try desk.run("clear")
        #expect(try offer.finish().exitCode == 0)
    }

    @Test("A stopped broker does not delay a paste into a file beyond the timeout", .tags(.f73))
    func stoppedBroker() throws {
        let desk = try Desk()
        try desk.copy("text")
        let status = try desk.run("status", "--json").text
        let process = try #require(status.firstMatch(of: /"process":([0-9]+)/)?.1)
        let broker = try #require(pid_t(process))
        #expect(kill(broker, SIGSTOP) == 0)
        defer { kill(broker, SIGCONT) }
        #expect(try desk.run("paste", "--timeout", "100ms", "-o", "x").exitCode == 7)
        #expect(try desk.run("paste", "--timeout", "100ms", "--into", ".").exitCode == 7)
        let version = try desk.run("--version")
        #expect(version.exitCode == 0 && version.text == "pasteboard \(ProgramVersion.current)\n")
        #expect(version.errorText.hasSuffix("/socket has not answered in the time allowed\n"), "\(version.errorText)")
    }

    @Test(
        "An interrupted paste into a file leaves nothing, and neither does a killed one",
        .tags(.f80),
        arguments: [SIGINT, SIGKILL]
    )
    func interrupted(signal: CInt) throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=echo begun; exec sleep 600"])
        let paste = try desk.start("paste", "-o", "out")
        try desk.waitForUnnamedFile(of: paste)
        try paste.child.kill(signal)
        #expect(try paste.finish().exitCode == 128 + signal)
        #expect(!desk.directory.names().contains { $0 == "out" || $0.hasPrefix(".pasteboard-") })
        _ = try desk.run("clear")
        #expect(try offer.finish().exitCode == 0)
    }

    @Test(
        "A reader that exits ends a paste silently; an output that is full or closed is an error",
        .tags(.f64, .f65, .f67)
    )
    func outputs() throws {
        let desk = try Desk()
        #expect(try desk.run("copy", "-t", ".bin", input: Desk.bytes(4 << 20)).exitCode == 0)
        let piped = try desk.shell("{ pasteboard paste; echo $? >code; } | head -c 1 >/dev/null; cat code")
        #expect(piped.text == "141\n")
        #expect(piped.errorText.isEmpty)
        let full = try desk.shell("pasteboard paste >/dev/full")
        #expect(full.exitCode == 4)
        #expect(full.errorText == "pasteboard: paste: cannot write standard output: No space left on device\n")
        #expect(try desk.shell("pasteboard paste >&-").exitCode == 4)
        #expect(try desk.shell("pasteboard paste 2>&- <&- | cat").output == Desk.bytes(4 << 20))
    }

    @Test("A terminal gets text, with its control characters made visible, and no other bytes")
    func terminal() throws {
        let desk = try Desk()
        func paste(_ arguments: String...) throws -> (code: CInt, shown: String, errors: String) {
            let terminal = try PseudoTerminal()
            let paste = try ProcessRunner(
                try ProcessRunner.program("pasteboard"),
                ["paste"] + arguments,
                environment: desk.environment,
                standardOutput: terminal.other
            ).finish()
            return (paste.exitCode, try terminal.shown(), paste.errorText)
        }
        try desk.copy("a\u{1B}[31mb\r\n\tc\rd\u{9B}\u{202E}é\n", "-t", "text")
        let text = try paste()
        #expect(text.code == 0)
        #expect(text.shown == "a^[[31mb\r\n\tc^Md\\xC2\\x9B\\xE2\\x80\\xAEé\n")
        #expect(try paste("-q").errors.isEmpty)
        let note = "7 unsafe bytes are shown as ^X or \\xNN; use --raw to write the text unchanged"
        #expect(text.errors == "pasteboard: paste: \(note)\n")
        let contents = "a\u{1B}[31mb\r\n\tc\rd\u{9B}\u{202E}é\n"
        #expect(try paste("--raw").shown == contents)
        #expect(try paste("--raw").errors.isEmpty)
        #expect(try desk.run("paste").text == contents)

        for text in ["a\u{1B}é\0\n", "\u{FEFF}a\u{1B}é\0\n"] {
            for isBig in [false, true] where !isBig || text.first == "\u{FEFF}" {
                let units = Array(text.utf16)
                let bytes = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
                let swapped = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
                let input = isBig ? swapped : bytes
                #expect(try desk.run("copy", "-t", "public.utf16-plain-text", input: input).exitCode == 0)
                let wide = try paste()
                #expect(wide.code == 0 && wide.shown == "a^[é^@\n", "\(wide.errors)")
                #expect(try desk.run("paste").output == input)
            }
        }
        #expect(try desk.run("copy", "-t", "public.utf16-plain-text", input: [0x61]).exitCode == 0)
        #expect(try paste().code == 5)

        try desk.copy("picture", "-t", ".png")
        let binary = try paste()
        #expect(binary.code == 2)
        #expect(binary.shown.isEmpty)
        #expect(binary.errors.contains("use -o FILE, a pipe, or --raw"))
        #expect(try paste("--raw").shown == "picture")
        try desk.copy("te\u{0}xt", "-t", "text")
        #expect(try paste().code == 2)

        _ = try desk.directory.makeDirectory("tree")
        #expect(try desk.run("copy", "tree").exitCode == 0)
        let folder = try paste()
        #expect(folder.code == 2 && folder.shown.isEmpty)
        #expect(folder.errors.contains("cannot write a folder to a terminal; use --into DIR"))
    }

    @Test("On a terminal text ends with a newline, and each note begins on a new line")
    func ends() throws {
        let desk = try Desk()
        func paste(_ arguments: String...) throws -> String {
            let terminal = try PseudoTerminal()
            _ = try ProcessRunner(
                try ProcessRunner.program("pasteboard"),
                ["paste"] + arguments,
                environment: desk.environment,
                standardOutput: terminal.other,
                standardError: terminal.other
            ).finish()
            return try terminal.shown()
        }
        try desk.copy("text")
        #expect(try paste() == "text\n")
        #expect(try paste("-n") == "text")
        #expect(try paste("--raw") == "text")
        #expect(try desk.run("paste").text == "text")
        try desk.copy("")
        #expect(try paste() == "")
        try desk.copy("a\u{7}b")
        for arguments in [[], ["-n"]] {
            let shown = try arguments.isEmpty ? paste() : paste("-n")
            #expect(shown.hasPrefix("a^Gb\npasteboard: paste: 1 unsafe byte is shown as "))
        }
        let offer = try desk.offer(["-t", "text=printf half; exit 3"])
        #expect(try paste().hasPrefix("half\npasteboard: paste: "))
        _ = try desk.run("clear")
        _ = try offer.finish()
    }

    @Test("A copy from a terminal prints what it waits for", .tags(.f66))
    func copyFromTerminal() throws {
        let desk = try Desk()
        let terminal = try PseudoTerminal()
        let copy = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            ["copy"],
            environment: desk.environment,
            input: terminal.other
        )
        try copy.waitForErrors(containing: "pasteboard: copy: reading from the terminal; press Ctrl-D to end\n")
        try terminal.type("typed\n\u{4}")
        #expect(try copy.finish().exitCode == 0)
        #expect(try desk.run("paste").text == "typed\n")
        #expect(try desk.run("copy", input: Array("x".utf8)).errors.isEmpty)
    }
}
