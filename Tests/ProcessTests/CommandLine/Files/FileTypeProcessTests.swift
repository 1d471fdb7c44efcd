import PasteboardTransport
import TestSupport
import Testing

/// Text on a terminal, on a machine without a MIME database.
@Suite(.processes) struct FileTypeProcessTests {
    private static func desk() throws -> Desk {
        let desk = try Desk()
        desk.environment["XDG_DATA_HOME"] = desk.directory["none"]
        desk.environment["XDG_DATA_DIRS"] = desk.directory["none"]
        return desk
    }

    nonisolated private static let textExtensions = """
        adb adoc asm awk bash bat bib c cc cfg clj cmake conf cpp cs css csv dart desktop diff dockerfile el env erl ex
        f90 fish go gql gradle graphql groovy h hpp hs html ini java jl js json jsonl jsx kt less lock log lua m md
        mk ml mod nim nix org patch php pl po properties proto ps1 py r rb rs rst s sass scala scss service sh sql srt
        svelte swift tex tf timer toml ts tsv tsx txt v vim vue xml yaml yml zig zsh
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    @Test("Text is shown on a terminal and is text to -t, whatever the extension of its file")
    func textOnTerminal() throws {
        let desk = try Self.desk()
        #expect(Self.textExtensions.count >= 72)
        for tag in Self.textExtensions {
            try desk.directory.write("let it be: \(tag)\n", to: "file.\(tag)")
            let copy = try desk.run("copy", "file.\(tag)")
            #expect(copy.exitCode == 0 && copy.errorText.isEmpty, "\(tag): \(copy.errorText)")
            #expect(try desk.run("paste", "-t", "text").text == "let it be: \(tag)\n")
            let terminal = try PseudoTerminal()
            let paste = try desk.run("paste", standardOutput: terminal.other)
            #expect(paste.exitCode == 0, "\(tag): \(paste.errorText)")
            #expect(try terminal.shown() == "let it be: \(tag)\n")
        }
    }
}
