import PasteboardTransport
import TestSupport
import Testing

/// The types of files and of standard input between whole processes, on a machine without a MIME database.
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

    @Test(
        "Standard input and files without an extension have the type of their contents",
        arguments: [
            ("\\211PNG\\r\\n\\032\\n", "public.png"), ("#!/bin/sh\\n", "public.shell-script"),
            ("words", "public.utf8-plain-text"), ("\\1\\0", "public.data"),
        ]
    )
    func contents(bytes: String, type: String) throws {
        let desk = try Self.desk()
        #expect(try desk.shell("printf '\(bytes)' | pasteboard copy").exitCode == 0)
        #expect(try desk.run("types").text.hasPrefix(type + " "))
        #expect(try desk.shell("printf '\(bytes)' >plain; pasteboard copy plain").exitCode == 0)
        #expect(try desk.run("types").text.hasPrefix(type + " "))
    }

    @Test("Text with an undeclared extension is written to a text file without a note")
    func unknownIntoText() throws {
        let desk = try Self.desk()
        try desk.directory.write("text", to: "a.toy")
        #expect(try desk.run("copy", "a.toy").exitCode == 0)
        let paste = try desk.run("paste", "-o", "b.txt")
        #expect(paste.exitCode == 0 && paste.errorText.isEmpty)
        let picture = try desk.run("paste", "-o", "b.png")
        #expect(picture.errorText.contains("b.png contains dyn.ah62d4rv4ge81k553 (.toy)"))
    }

    @Test("Contents that contradict the extension are noted once, and the extension is used")
    func contradiction() throws {
        let desk = try Self.desk()
        #expect(try desk.shell("printf '\\211PNG\\r\\n\\032\\n' | tee wrong.txt more.txt >right.png").exitCode == 0)
        let copy = try desk.run("copy", "wrong.txt", "right.png")
        #expect(copy.exitCode == 0)
        #expect(
            copy.errorText == "pasteboard: copy: wrong.txt has the extension of public.plain-text but the contents of "
                + "public.png; the extension decides; -t public.png overrides it\n"
        )
        #expect(try desk.run("types").text.hasPrefix("public.plain-text "))
        #expect(try desk.run("copy", "-q", "wrong.txt").errors.isEmpty)
        #expect(try desk.run("copy", "wrong.txt", "more.txt").errorText.split(separator: "\n").count == 1)
        let chosen = try desk.run("copy", "-t", "png", "wrong.txt")
        #expect(chosen.exitCode == 0 && chosen.errorText.isEmpty)
        #expect(try desk.run("types").text.hasPrefix("public.png "))
    }

    @Test("A dynamic type is listed with the tag that it stands for, as text and as JSON")
    func dynamic() throws {
        let desk = try Self.desk()
        try desk.copy("a", "-t", "foo/bar")
        #expect(try desk.run("types").text == "dyn.ah62d4rv4gq80q55tf7vgc6u (foo/bar)  1  kept\n")
        let json = try desk.run("types", "--json").text
        #expect(json.contains(#"{"type":"dyn.ah62d4rv4gq80q55tf7vgc6u","mime":"foo/bar","extension":null,"#))
        #expect(try desk.run("list").text.contains("dyn.ah62d4rv4gq80q55tf7vgc6u (foo/bar)"))
        let missing = try desk.run("paste", "-t", "png")
        #expect(missing.exitCode == 1)
        #expect(missing.errorText.contains("(foo/bar)"))
        try desk.directory.write([0], to: "cat.toy")
        #expect(try desk.run("copy", "cat.toy").exitCode == 0)
        #expect(try desk.run("types").text == "dyn.ah62d4rv4ge81k553 (.toy)  1  kept  cat.toy\n")
        #expect(try desk.run("types", "--json").text.contains(#""mime":null,"extension":"toy""#))
        try desk.copy("a", "-t", "html")
        #expect(try desk.run("types", "--json").text.contains(#""mime":"text/html","extension":"html""#))
    }
}
