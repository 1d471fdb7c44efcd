import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard paste` and `copy` on a terminal.
@Suite(.processes) struct CommandLinePasteTests {
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
