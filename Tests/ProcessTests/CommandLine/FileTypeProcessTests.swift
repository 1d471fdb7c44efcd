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

    @Test("Common source and configuration files have specific identifiers")
    func ownIdentifiers() throws {
        let desk = try Self.desk()
        let tags = """
            rs go toml ini conf cfg env lua sql kt nix zig tf proto vim tsx jsx ts scala hs el ex erl clj dart r jl tex rst
            org fish zsh cmake gradle groovy desktop service properties diff patch adoc csv vue scss less graphql
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        for tag in tags { try desk.directory.write("text", to: "file.\(tag)") }
        #expect(try desk.shell("pasteboard copy file.*").exitCode == 0)
        let types = try desk.run("types").text
        #expect(types.split(separator: "\n").count == tags.count)
        #expect(!types.contains("dyn."), "\(types)")
    }

    @Test(
        "Standard input and files without an extension have the type of their contents",
        arguments: [
            ("\\211PNG\\r\\n\\032\\n", "public.png"), ("\\377\\330\\377\\340", "public.jpeg"),
            ("GIF89a\\1\\0", "com.compuserve.gif"), ("RIFF\\1\\0\\0\\0WEBPVP8 \\377", "org.webmproject.webp"),
            ("%%PDF-1.4\\n", "com.adobe.pdf"), ("PK\\003\\004\\024\\0", "public.zip-archive"),
            ("\\037\\213\\010\\0", "org.gnu.gnu-zip-archive"),
            ("\\050\\265\\057\\375\\0", "com.facebook.zstandard-archive"), ("\\0\\0\\0\\030ftypisom", "public.mpeg-4"),
            ("RIFF\\1\\0\\0\\0WAVEfmt \\377", "com.microsoft.waveform-audio"), ("OggS\\0\\2", "org.xiph.ogg-audio"),
            ("\\377\\376a\\0", "public.utf16-plain-text"), ("<!DOCTYPE html>", "public.html"),
            ("<?xml version=\"1.0\"?><a/>", "public.xml"), ("\\177ELF\\2\\1\\0", "public.elf-binary"),
            ("#!/bin/sh\\n", "public.shell-script"), ("words", "public.utf8-plain-text"), ("\\1\\0", "public.data"),
        ]
    )
    func contents(bytes: String, type: String) throws {
        let desk = try Self.desk()
        #expect(try desk.shell("printf '\(bytes)' | pasteboard copy").exitCode == 0)
        #expect(try desk.run("types").text.hasPrefix(type + " "))
        #expect(try desk.shell("printf '\(bytes)' >plain; pasteboard copy plain").exitCode == 0)
        #expect(try desk.run("types").text.hasPrefix(type + " "))
    }

    @Test("An archive is recognized on standard input, and by the suggested name")
    func archives() throws {
        let desk = try Self.desk()
        try desk.directory.write("text", to: "a.txt")
        #expect(try desk.shell("tar c a.txt | pasteboard copy; pasteboard types").text.hasPrefix("public.tar-archive "))
        try desk.copy("picture", "--name", "x.png")
        #expect(try desk.run("types").text.hasPrefix("public.png "))
        #expect(try desk.run("paste", "-t", "image").text == "picture")
    }

    @Test("The contents choose between two types of an extension, and -t accepts either")
    func ambiguous() throws {
        let desk = try Self.desk()
        try desk.directory.write("let a = 1\n", to: "a.ts")
        var packet = [UInt8](repeating: 0, count: 188)
        packet[0] = 0x47
        try desk.directory.write(packet + packet + packet, to: "b.ts")
        for (file, type) in [("a.ts", "com.microsoft.typescript"), ("b.ts", "public.mpeg-2-transport-stream")] {
            let copy = try desk.run("copy", file)
            #expect(copy.exitCode == 0 && copy.errorText.isEmpty)
            #expect(try desk.run("types").text.hasPrefix(type + " "))
            #expect(try desk.run("paste", "-t", ".ts").output == desk.directory.contents(of: file))
            let paste = try desk.run("paste", "-o", "c.ts")
            #expect(paste.exitCode == 0 && paste.errorText.isEmpty)
        }
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

    @Test("A destination for text accepts text with an undeclared extension")
    func unknownIntoDrop() throws {
        let desk = try Self.desk()
        try desk.directory.write("text", to: "a.toy")
        _ = try desk.directory.makeDirectory("in")
        let drop = try desk.start("drop", "--as", "desk", "--accept", "text", "--into", "in", "--once")
        try drop.waitForErrors(containing: "accepting public.text as desk")
        #expect(try desk.run("drag", "a.toy", "--to", "desk").exitCode == 0)
        let dropped = try drop.finish()
        #expect(dropped.exitCode == 0)
        #expect(dropped.errorText.contains("item 1: 4 bytes, dyn.ah62d4rv4ge81k553 (.toy)"))
        #expect(try desk.directory.contents(of: "in/a.toy") == Array("text".utf8))
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

    @Test("Families and bare extensions are accepted as types")
    func spellings() throws {
        let desk = try Self.desk()
        try desk.copy("picture", "-t", "png")
        for spelling in ["image/*", "png", "image", "IMAGE/PNG", ".png", "public.png"] {
            #expect(try desk.run("paste", "-t", spelling).text == "picture")
        }
        #expect(try desk.run("paste", "-t", "video/*").exitCode == 1)
        for command in ["copy", "offer"] {
            let refused = try desk.run(command, "-t", "image/*=x")
            #expect(refused.exitCode == 2)
            #expect(refused.errorText.contains("type 'image/*' is a family of types; write the type of the bytes"))
        }
        let slip = try desk.run("paste", "-t", "pgn")
        #expect(slip.exitCode == 2)
        #expect(slip.errorText.contains("unknown type 'pgn'"))
    }
}
