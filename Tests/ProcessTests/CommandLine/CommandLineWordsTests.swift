import Glibc
import PasteboardTransport
import TestSupport
import Testing

@testable import pasteboard

/// The text in a list on a terminal.
@Suite(.processes) struct CommandLineWordsTests {
    @Test("A list on a terminal shows the beginning of kept texts, and nothing that a look must not reveal or use up")
    func previews() throws {
        let desk = try Desk()
        try desk.copy("two\nlines\u{1B}[2J and \(String(repeating: "x", count: 600))", "-b", "text")
        try desk.copy("short", "-b", "brief", "-t", "html")
        try desk.copy("my secret", "-b", "secret", "--sensitive")
        try desk.copy("my secret", "-b", "once", "--once")
        let offer = try desk.offer(["-t", "text=touch made; echo my secret"], board: "promise")
        let terminal = try PseudoTerminal()
        #expect(try desk.run("list", standardOutput: terminal.other).exitCode == 0)
        let shown = try terminal.shown()
        #expect(shown.contains("  two lines^[[2J and \(String(repeating: "x", count: 22))…"), "\(shown)")
        #expect(shown.contains("  short"), "\(shown)")
        #expect(!shown.contains("my secret") && !desk.directory.names().contains("made"))
        #expect(try !desk.run("list").text.contains("two lines"))
        #expect(try desk.run("paste", "-b", "once").text == "my secret")
        try offer.child.kill(SIGTERM)
        _ = try offer.finish()
        #expect(TextPreview.line(Array(String(repeating: "é ", count: 20).utf8)).count == 39)
        #expect(TextPreview.line([0x61, 0xFF]) == "a\u{FFFD}")
    }
}
