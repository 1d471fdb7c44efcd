import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardClient
@testable import TypeIdentifiers

@Suite(.pure)
struct MimeDatabaseTests {
    /// A user's directory and a system's, as named by `XDG_DATA_HOME` and `XDG_DATA_DIRS`.
    private struct Disk {
        let root: TemporaryDirectory

        init() throws {
            root = try TemporaryDirectory()
            for name in ["home", "home/mime", "system", "system/mime"] { _ = try root.makeDirectory(name) }
        }

        var database: MimeDatabase {
            MimeDatabase(
                environment: ProcessEnvironment([
                    "XDG_DATA_HOME": root["home"],
                    "XDG_DATA_DIRS": "relative::\(root["system"]):\(root["none"])",
                ])
            )
        }

        func mimeType(_ filenameExtension: String) throws -> String? {
            try match(filenameExtension, .filenameExtension)?.mimeType
        }

        func supertypes(_ mimeType: String) throws -> [String]? {
            try match(mimeType, .mimeType)?.supertypes
        }

        private func match(
            _ tag: String,
            _ tagClass: UniformType.TagClass
        ) throws -> SharedMimeInfo.Match? {
            let identifier = try #require(DynamicType.identifier(tag: tag, tagClass: tagClass, supertypes: []))
            let type = try #require(DynamicType(identifier))
            return database.read()?.match(for: type)
        }
    }

    @Test("The files of all directories are combined")
    func merged() throws {
        let disk = try Disk()
        try disk.root.write("# made by hand\n50:text/x-a:*.aa\n50:text/x-a:*.ab:cs\n", to: "system/mime/globs2")
        try disk.root.write("60:audio/x-b:*.aa\n", to: "home/mime/globs2")
        try disk.root.write("application/x-c text/x-a\n", to: "home/mime/subclasses")
        try disk.root.write("application/x-d application/x-c\n", to: "system/mime/aliases")
        try disk.root.write("image/x-e\n", to: "system/mime/types")
        #expect(try disk.mimeType("aa") == "audio/x-b")
        #expect(try disk.mimeType("ab") == "text/x-a")
        #expect(try disk.supertypes("application/x-d")?.last == "public.plain-text")
        #expect(try disk.supertypes("image/x-e") == ["public.image"])
    }

    @Test("The user's directory comes first: its aliases are kept, and it can close a type to others' patterns")
    func precedence() throws {
        let disk = try Disk()
        try disk.root.write("0:text/x-a:__NOGLOBS__\n50:text/x-a:*.mine\n", to: "home/mime/globs2")
        try disk.root.write("50:text/x-a:*.theirs\n50:text/x-b:*.other\n", to: "system/mime/globs2")
        try disk.root.write("application/x-alias text/x-a\n", to: "home/mime/aliases")
        try disk.root.write("application/x-alias audio/x-a\n", to: "system/mime/aliases")
        #expect(try disk.mimeType("mine") == "text/x-a")
        #expect(try disk.mimeType("theirs") == nil)
        #expect(try disk.mimeType("other") == "text/x-b")
        #expect(try disk.supertypes("application/x-alias") == ["public.plain-text"])
    }

    @Test(
        "A malformed line is skipped, and the lines around it are used",
        arguments: [
            "", ":", "::", "50", "50:text/x-a", "x:text/x-a:*.bad", "-1:text/x-a:*.bad", "101:text/x-a:*.bad",
            "99999999999999999999:text/x-a:*.bad", "50:nonsense:*.bad", "50:text/x-a:bad", "50:text/x-a:*.[b]ad",
            "50:text/x-a:*.b*d", "50:text/x-a:*.", "50:text/x-a:*.b/d", "50:text/x-a:*.b\u{7}d", "50:text/x-a:README",
            "50:text/x-a:*~",
        ]
    )
    func malformed(_ line: String) throws {
        let disk = try Disk()
        try disk.root.write("50:text/x-b:*.good\r\n\(line)\n50:text/x-b:*.fine", to: "system/mime/globs2")
        try disk.root.write("\(line)\none\none two three\napplication/x-c text/x-b\n", to: "system/mime/subclasses")
        #expect(try disk.mimeType("fine") == "text/x-b")
        #expect(try disk.mimeType("bad") == nil)
        #expect(try disk.supertypes("application/x-c")?.last == "public.plain-text")
    }

    @Test("Bytes that are not text, and other objects in place of files, do no harm")
    func strange() throws {
        let disk = try Disk()
        let noise = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        for name in ["globs2", "aliases", "subclasses", "types"] { try disk.root.write(noise, to: "home/mime/\(name)") }
        _ = try disk.root.makeDirectory("system/mime/globs2")
        #expect(
            try ChildProcess(.init(path: "/usr/bin/mkfifo", arguments: [disk.root["system/mime/types"]])).wait()
                == .exited(0)
        )
        try disk.root.write("application/x-c text/plain\n", to: "system/mime/subclasses")
        #expect(try disk.supertypes("application/x-c") == ["public.plain-text"])
    }

    @Test("Without any files there is no database")
    func none() throws {
        let disk = try Disk()
        #expect(disk.database.read() == nil)
        #expect(MimeDatabase(environment: ProcessEnvironment(["XDG_DATA_DIRS": "relative"])).read() == nil)
    }

    @Test(
        "Types beyond the table conform according to the system's own database",
        .enabled(if: MimeDatabase().read() != nil, "needs the package shared-mime-info")
    )
    func system() throws {
        let awk = try #require(UniformType(mimeType: "application/x-awk"))
        #expect(awk.isDynamic)
        #expect(awk.conforms(to: .text) && awk.conforms(to: .plainText) && !awk.conforms(to: .image))
        #expect(awk.preferredMIMEType == "application/x-awk")
        #expect(awk.preferredFilenameExtension == "awk")
        #expect(awk.supertypes.isSuperset(of: [.plainText, .text, .data, .item, .content]))

        let vala = try #require(UniformType(filenameExtension: "VALA"))
        #expect(vala.isDynamic && vala.conforms(to: .plainText))
        #expect(vala.tags[.filenameExtension] == ["vala"])
        #expect(vala.preferredMIMEType == "text/x-vala")
        #expect(UniformType(filenameExtension: "vala", conformingTo: .folder)?.conforms(to: .text) == false)

        #expect(UniformType(mimeType: "image/pjpeg") == .jpeg)
        #expect(UniformType(mimeType: "application/rtf") == .rtf)
        #expect(UniformType(mimeType: "image/x-xcf")?.conforms(to: .image) == true)
        #expect(UniformType(filenameExtension: "3mf")?.conforms(to: .zip) == true)
        #expect(UniformType(mimeType: "text/rust;charset=koi8-r")?.conforms(to: .plainText) == true)
    }

    @Test(
        "A line of the system's subclasses is a conformance",
        .enabled(if: MimeDatabase().read() != nil, "needs the package shared-mime-info")
    )
    func subclasses() throws {
        let bytes = (try? System.contents(of: "/usr/share/mime/subclasses", limit: 1 << 20)) ?? []
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        // Every fifth line, to limit the processor time.
        for line in stride(from: 0, to: lines.count, by: 5).map({ lines[$0] }) {
            let names = line.split(separator: " ").map(String.init)
            try #require(names.count == 2)
            let type = try #require(UniformType(mimeType: names[0]))
            // The table's own types conform according to the table, and directories are not data.
            guard type.isDynamic, !names[0].hasPrefix("inode/"), !names[1].hasPrefix("inode/") else { continue }
            let parent = try #require(UniformType(mimeType: names[1]))
            #expect(type.conforms(to: parent), "\(line)")
            #expect(!parent.conforms(to: type), "\(line)")
        }
    }

    @Test(
        "A type's identifier is the same as without a database, and names the type again",
        .enabled(if: MimeDatabase().read() != nil, "needs the package shared-mime-info")
    )
    func identifiers() throws {
        let type = try #require(UniformType(filenameExtension: "cs"))
        #expect(type.identifier == "dyn.ah62d4rv4ge80g62")
        #expect(UniformType(type.identifier)?.conforms(to: .text) == true)
        #expect(UniformType(importedAs: type.identifier).conforms(to: .text))
        // A received type has the supertypes that its publisher sent.
        #expect(!UniformType(identifier: type.identifier, supertypes: []).conforms(to: .text))
        #expect(type.publishedSupertypes.contains("public.plain-text"))
        #expect(UniformType.png.publishedSupertypes.isEmpty)
    }
}
