import TestSupport
import Testing

@testable import TypeIdentifiers

@Suite("The type of a file by its name and contents", .pure)
struct FileTypeTests {
    static let png = FileSignatureTests.example("89 'PNG' 0D 0A 1A 0A")
    static let zip = FileSignatureTests.example("'PK' 03 04")
    static let stream = FileSignatureTests.example("'G' @188 'G' @376 'G'")

    private static func type(_ name: String?, _ bytes: [UInt8]) -> FileType {
        FileType(named: name.map { [$0] } ?? [], head: bytes.span, isWhole: true)
    }

    private static func type(_ name: String?, _ text: String) -> FileType {
        type(name, Array(text.utf8))
    }

    @Test(
        "An extension of only one type decides, whatever the contents are",
        arguments: [
            ("a.txt", "public.plain-text"), ("a.png", "public.png"), ("dir.d/A.RS", "org.rust-lang.rust-script"),
            ("a.tar.gz", "org.gnu.gnu-zip-archive"), ("a.toml", "public.toml"),
        ]
    )
    func known(_ name: String, _ identifier: String) {
        for contents in [[], Self.png, Self.zip, Array("text".utf8), [0, 1, 2]] {
            #expect(Self.type(name, contents).type.identifier == identifier)
        }
    }

    @Test(
        "Without an extension the contents decide",
        arguments: [
            ("", "public.utf8-plain-text"), ("text", "public.utf8-plain-text"), ("a\u{0}b", "public.data"),
            ("ID3 is no sound here", "public.utf8-plain-text"), ("BM", "public.utf8-plain-text"),
            ("%PDF-1.7\n", "com.adobe.pdf"), ("{\\rtf1 a}", "public.rtf"),
            ("<!DOCTYPE html><p>", "public.html"), ("\u{FEFF}\n <HTML lang=en>", "public.html"),
            ("<!-- a --><!doctype html>", "public.html"), ("<p>a</p>", "public.utf8-plain-text"),
            ("<?xml version='1.0'?><a/>", "public.xml"), ("<?xml version='1.0'?>", "public.xml"),
            ("<?xml version='1.0'?><!-- a --><!DOCTYPE svg SYSTEM ''><svg/>", "public.svg-image"),
            ("<svg xmlns='a'>", "public.svg-image"), ("<?xml version='1.0'?>\n<svg:svg/>", "public.svg-image"),
            ("<?xml version='1.0'?><html/>", "public.xhtml"), ("<?xml version='1.0'?><rss/>", "public.rss"),
            ("<?xml version='1.0'?><plist/>", "com.apple.xml-property-list"), ("<?php", "public.utf8-plain-text"),
            ("<", "public.utf8-plain-text"), ("<!--", "public.utf8-plain-text"), ("<a:", "public.utf8-plain-text"),
            ("#!/bin/sh\n", "public.shell-script"), ("#! /usr/bin/env -S A=1 python3.12 -u\n", "public.python-script"),
            ("#!/usr/bin/fish", "org.swift-pasteboard.fish-script"), ("#!/bin/odd\n", "public.utf8-plain-text"),
            ("#!", "public.utf8-plain-text"), ("#!/usr/bin/env\n", "public.utf8-plain-text"),
            // Only the first 256 bytes of the first line count.
            ("#!" + String(repeating: "/", count: 252) + "sh", "public.shell-script"),
            ("#!" + String(repeating: "/", count: 253) + "sh", "public.utf8-plain-text"),
        ]
    )
    func noExtension(_ text: String, _ identifier: String) {
        for name in [nil, "README", ".profile", "a."] {
            #expect(Self.type(name, text).type.identifier == identifier)
            #expect(Self.type(name, text).contradiction == nil)
        }
    }

    @Test("UTF-16 is recognized by its byte order mark, and UTF-32 is not mistaken for it")
    func utf16() {
        #expect(Self.type(nil, [0xFF, 0xFE, 0x61, 0]).type == .utf16PlainText)
        #expect(Self.type("a.txt", [0xFE, 0xFF, 0, 0x61]).type == .utf16PlainText)
        #expect(Self.type("a.rs", [0xFE, 0xFF, 0, 0x61]).contradiction == nil)
        #expect(Self.type(nil, [0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0]).type == .data)
        #expect(Self.type("a.foo", [0xFF, 0xFE, 0x61, 0]).type.conforms(to: .utf16PlainText))
    }

    @Test("Text with an undeclared extension conforms to plain text, also for its receivers")
    func unknownText() throws {
        for text in ["", "text", "#!/bin/sh\n"] {
            let type = Self.type("cat.toy", text).type
            #expect(type.identifier == "dyn.ah62d4rv4ge81k553")
            #expect(type.conforms(to: .plainText))
            #expect(type.publishedSupertypes.contains("public.plain-text"))
        }
        #expect(Self.type("cat.toy", "#!/bin/sh\n").type.conforms(to: .shellScript))
        let page = Self.type("page.toy", "<!doctype html>").type
        #expect(page.conforms(to: .html) && page.conforms(to: .plainText))
        #expect(!Self.type("cat.toy", [0, 1]).type.conforms(to: .text))
    }

    @Test("Other contents override an undeclared extension, except for containers, which can be anything")
    func unknownBytes() {
        #expect(Self.type("cat.toy", Self.png).type == .png)
        #expect(Self.type("photo.nef", FileSignatureTests.example("'II' 2A 00")).type.conforms(to: .tiff))
        #expect(Self.type("photo.nef", FileSignatureTests.example("'II' 2A 00")).type.isDynamic)
        let archive = Self.type("cat.toy", Self.zip).type
        #expect(archive.identifier == "dyn.ah62d4rv4ge81k553")
        #expect(archive.conforms(to: .zip) && archive.conforms(to: .archive))
        #expect(archive.publishedSupertypes.contains("public.zip-archive"))
    }

    @Test("The contents choose between several types with one extension")
    func ambiguous() {
        #expect(Self.type("a.ts", "let a = 1\n").type.identifier == "com.microsoft.typescript")
        #expect(Self.type("a.ts", "").type.identifier == "com.microsoft.typescript")
        #expect(Self.type("a.ts", Self.stream).type == .mpeg2TransportStream)
        #expect(Self.type("a.ts", [0x47, 0, 1]).type == .mpeg2TransportStream)
        #expect(Self.type("a.m", "#import <a.h>\n").type == .objectiveCSource)
        #expect(Self.type("a.m", "% a\n").type.identifier == "org.swift-pasteboard.matlab-source")
        #expect(Self.type("a.mod", "module a\n").type.conforms(to: .plainText))
        #expect(!Self.type("a.mod", [0]).type.conforms(to: .plainText))
        #expect(Self.type("a.bin", Self.png).type == .png)
        #expect(Self.type("a.bin", "text").type.conforms(to: .plainText))
        #expect(Self.type("a.bin", [0, 1]).type.tags == [.filenameExtension: ["bin"]])
        let macBinary = FileSignatureTests.example("00 @74 00 @82 00 @102 'mBIN'")
        #expect(Self.type("a.bin", macBinary).type.identifier == "com.apple.macbinary-archive")
        #expect(Self.type("a.plist", "<?xml version='1.0'?><plist/>").type == .xmlPropertyList)
        #expect(Self.type("a.plist", Array("bplist00".utf8) + [0]).type == .binaryPropertyList)
        #expect(Self.type("a.plist", "{ a = 1; }").type.identifier == "com.apple.ascii-property-list")
        #expect(Self.type("a.mp4", FileSignatureTests.example("@4 'ftypM4A '")).type == .mpeg4Audio)
        #expect(Self.type("a.mp4", FileSignatureTests.example("@4 'ftypisom'")).type == .mpeg4Movie)
    }

    @Test(
        "Contents that contradict the extension are reported, and the extension is used",
        arguments: [
            ("a.txt", png, "public.png"), ("a.jpg", png, "public.png"), ("a.html", png, "public.png"),
            ("a.docx", png, "public.png"), ("a.png", zip, "public.zip-archive"), ("a.rs", zip, "public.zip-archive"),
            ("a.png", Array("text".utf8), "public.utf8-plain-text"),
            ("a.pdf", Array("a".utf8), "public.utf8-plain-text"),
            ("a.ts", png, "public.png"), ("a.gif", Array("%PDF-1".utf8), "com.adobe.pdf"),
        ]
    )
    func contradictions(_ name: String, _ contents: [UInt8], _ identifier: String) {
        let file = Self.type(name, contents)
        #expect(file.contradiction?.identifier == identifier)
        #expect(
            UniformType.types(tag: String(name.dropFirst(2)), tagClass: .filenameExtension, conformingTo: .data)
                .contains(file.type)
        )
    }

    @Test(
        "Contents that are possible for an extension do not contradict it",
        arguments: [
            ("a.png", png), ("a.png", []), ("a.txt", [0x63, 0x61, 0x66, 0xE9]), ("a.txt", Array("<html>".utf8)),
            ("a.docx", zip), ("a.odt", zip), ("a.jar", zip), ("a.epub", zip), ("a.usdz", zip),
            ("a.svgz", FileSignatureTests.example("1F 8B 08")), ("a.tgz", FileSignatureTests.example("1F 8B 08")),
            ("a.txz", FileSignatureTests.example("FD '7zXZ' 00")),
            ("a.mov", FileSignatureTests.example("@4 'ftypmp42'")),
            ("a.heif", FileSignatureTests.example("@4 'ftypheic'")),
            ("a.dng", FileSignatureTests.example("'II' 2A 00")), ("a.o", FileSignatureTests.example("7F 'ELF'")),
            ("a.doc", Array("{\\rtf1}".utf8)), ("a.txt", Array("{\\rtf1}".utf8)), ("a.ai", Array("%PDF-".utf8)),
            ("a.xml", Array("<svg>".utf8)),
            ("a.mp3", [0xFF, 0xFB, 0x90, 0]), ("a.flac", FileSignatureTests.example("'ID3'")),
            ("a.xls", Array("<html>".utf8)),
            ("a.webm", FileSignatureTests.example("1A 45 DF A3")),
        ] as [(String, [UInt8])]
    )
    func noContradiction(_ name: String, _ contents: [UInt8]) {
        #expect(Self.type(name, contents).contradiction == nil)
    }

    @Test("The first name with an extension is used")
    func names() {
        let text = Array("text".utf8)
        let second = FileType(named: ["pasted", "a.rs"], head: text.span, isWhole: true)
        #expect(second.type.identifier == "org.rust-lang.rust-script")
        let first = FileType(named: ["a.go", "a.rs"], head: text.span, isWhole: true)
        #expect(first.type.identifier == "org.golang.go-script")
    }

    @Test("A character that the first bytes cut off does not prevent text")
    func cut() {
        let head = Array("caf".utf8) + [0xC3]
        let (more, whole) = (
            FileType(named: [], head: head.span, isWhole: false), FileType(named: [], head: head.span, isWhole: true)
        )
        #expect(more.type == .utf8PlainText)
        #expect(whole.type == .data)
        let brief = FileType(named: ["a.png"], head: head.span, isWhole: false)
        #expect(brief.contradiction == .utf8PlainText)
    }

    @Test("Bytes are text exactly if they are UTF-8, whatever the first bytes of a scalar are")
    func utf8() {
        for first in UInt8(1)...0xFF {
            for second in [0x01, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0] as [UInt8] {
                for count in 1...4 {
                    let bytes = Array([first, second, 0x80, 0xBF].prefix(count))
                    let isText = String(validating: bytes, as: UTF8.self) != nil
                    #expect(UTF8Scan.isText(bytes.span, isWhole: true) == isText, "\(bytes)")
                }
            }
        }
    }

    @Test("A name may have one declared type, several or none")
    func declaredTypes() {
        #expect(FileType.declaredTypes(forFileNamed: "a.png") == [.png])
        let ambiguous = FileType.declaredTypes(forFileNamed: "a.ts").map(\.identifier)
        #expect(ambiguous == ["public.mpeg-2-transport-stream", "com.microsoft.typescript"])
        for name in ["a", "a.toy", "a.bin", ".png"] { #expect(FileType.declaredTypes(forFileNamed: name).isEmpty) }
    }

    @Test("More of a file is read if its contents decide")
    func headLength() {
        for name in ["a.png", "a.rs"] { #expect(FileType.headLength(named: [name]) == 4096) }
        for name in ["a", "a.ts", "a.bin", "a.toy", ".rs"] { #expect(FileType.headLength(named: [name]) == 65_536) }
        #expect(FileType.headLength(named: []) == 65_536)
        #expect(FileType.headLength(named: ["a", "b.png"]) == 4096)
    }

    @Test("Recognition ends for all bytes, wherever they are cut off", arguments: Seeds.fixed(1))
    func anything(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let starts =
            FileSignature.all.map { FileSignatureTests.example($0.pattern) }
            + ["<?xml ", "<!--", "<!doctype ", "<svg:", "#!/usr/bin/env ", "\u{FEFF}<"].map { Array($0.utf8) }
        for start in starts {
            for count in [0, 1, start.count / 2, max(0, start.count - 1), start.count] {
                let tail = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                for name in [nil, "a.ts", "a.bin", "a.m", "a.toy", "a.png", "a.plist", "a.\u{0}"] {
                    _ = Self.type(name, Array(start.prefix(count)) + tail)
                }
            }
        }
    }
}

@Suite("Signatures", .pure)
struct FileSignatureTests {
    /// Bytes that match a pattern, with zeros between its parts.
    static func example(_ pattern: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var place = 0
        func put(_ byte: UInt8?) {
            while bytes.count <= place { bytes.append(0) }
            if let byte { bytes[place] = byte }
            place += 1
        }
        // Quoted text may contain spaces.
        for (index, part) in pattern.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 {
                part.utf8.forEach(put)
                continue
            }
            for word in part.split(separator: " ") {
                if word.hasPrefix("@") { place = Int(word.dropFirst()) ?? 0 } else { put(UInt8(word, radix: 16)) }
            }
        }
        return bytes + [0]
    }

    @Test("Each signature is well formed and matches its own example, but no shorter prefix of it")
    func table() {
        for signature in FileSignature.all {
            let example = Self.example(signature.pattern)
            let whole = Array(example.dropLast())
            let matching = FileSignature.matching(example.span)
            #expect(matching?.type == signature.type, "\(signature.pattern)")
            let short = Array(whole.dropLast())
            let isShortMatched = BytePattern.matches(signature.pattern, short.span)
            #expect(!isShortMatched, "\(signature.pattern)")
            #expect(UniformType(signature.type)?.isDeclared == true, "\(signature.type)")
            #expect(signature.suits(UniformType(known: signature.type)))
        }
        for relative in FileSignature.relatives {
            #expect(UniformType(relative.type)?.isDeclared == true, "\(relative.type)")
            #expect(FileSignature.all.contains { $0.family == relative.family })
        }
    }

    @Test(
        "A pattern has literal bytes, any bytes, text and offsets",
        arguments: [
            ("'ab' 00", [0x61, 0x62, 0], true), ("'ab' 00", [0x61, 0x62], false), (".. FF", [9, 0xFF], true),
            (".. FF", [9, 0xFE], false), ("@2 'c'", [0, 0, 0x63], true), ("@2 'c'", [0, 0], false), ("", [], true),
        ] as [(String, [UInt8], Bool)]
    )
    func patterns(_ pattern: String, _ bytes: [UInt8], _ isMatched: Bool) {
        let matches = BytePattern.matches(pattern, bytes.span)
        #expect(matches == isMatched)
    }
}
