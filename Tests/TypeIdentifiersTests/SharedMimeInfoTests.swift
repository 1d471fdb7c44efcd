import TestSupport
import Testing

@testable import TypeIdentifiers

/// Uses a small database of made-up types. It is consulted for dynamic types in the same way as by lookups.
@Suite("Types from a MIME database", .pure)
struct SharedMimeInfoTests {
    private static let database: SharedMimeInfo = {
        var files = SharedMimeInfo.Files()
        files.types = Array("image/x-listed\ntext/x-capital\n".utf8)
        files.aliases = Array(
            """
            text/x-old-script application/x-script
            image/x-portable image/png
            application/x-png image/png
            text/rtf application/rtf
            APPLICATION/X-Capitals Application/X-Script
            application/x-ring-1 application/x-ring-2
            application/x-ring-2 application/x-ring-1
            """.utf8
        )
        files.subclasses = Array(
            """
            application/x-script text/plain
            application/x-bundle application/zip
            application/x-deep application/x-script
            image/x-packed application/gzip
            application/x-loop-a application/x-loop-b
            application/x-loop-b application/x-loop-a
            application/x-loop-b text/html
            application/x-via-alias image/x-portable
            inode/thing inode/other
            """.utf8
        )
        files.globs = Array(
            """
            # weight, type, pattern, flags
            60:audio/x-heavy:*.both
            50:application/x-script:*.scrs
            50:application/x-script:*.Scr
            10:application/x-script:*.s1
            50:application/x-script:*.both
            50:video/x-second:*.tie
            50:font/x-first:*.tie
            50:text/x-capital:*.Q:cs
            50:text/x-small:*.q:new,cs
            50:image/png:*.portable
            50:model/x-solid:*.solid
            50:application/x-tar-thing:*.tar.thing
            """.utf8
        )
        return SharedMimeInfo([files])
    }()

    private static func match(
        _ tag: String,
        _ tagClass: UniformType.TagClass,
        _ supertypes: [String] = ["public.data"]
    ) throws -> SharedMimeInfo.Match? {
        let identifier = try #require(DynamicType.identifier(tag: tag, tagClass: tagClass, supertypes: supertypes))
        return database.match(for: try #require(DynamicType(identifier)))
    }

    @Test(
        "A MIME type conforms to the table's types for its superclasses, and to its family",
        arguments: [
            ("application/x-script", ["public.plain-text"]), ("application/x-bundle", ["public.zip-archive"]),
            ("application/x-deep", ["application/x-script", "public.plain-text"]), ("image/x-listed", ["public.image"]),
            ("image/x-packed", ["org.gnu.gnu-zip-archive", "public.image"]),
            ("application/x-loop-a", ["application/x-loop-b", "public.html"]),
            ("application/x-via-alias", ["public.png"]),
            ("model/x-solid", ["public.3d-content", "public.data"]), ("audio/x-heavy", ["public.audio"]),
            ("video/x-second", ["public.movie"]), ("font/x-first", ["public.font"]),
            ("application/x-tar-thing", ["public.data"]), ("image/x-portable", ["public.png"]),
            ("text/x-old-script", ["public.plain-text"]), ("application/x-capitals", ["public.plain-text"]),
            ("application/x-ring-1", ["public.data"]), ("application/rtf", ["public.rtf"]),
        ]
    )
    func mimeTypes(_ tag: String, _ supertypes: [String]) throws {
        let expected = try supertypes.map { name in
            name.contains("/") ? try #require(UniformType(mimeType: name)).identifier : name
        }
        #expect(try Self.match(tag, .mimeType)?.supertypes == expected)
    }

    @Test(
        "An extension belongs to the type with the highest weight; equal weights are ordered by name",
        arguments: [
            ("scr", "application/x-script"), ("SCR", "application/x-script"), ("both", "audio/x-heavy"),
            ("tie", "font/x-first"), ("q", "text/x-small"), ("portable", "image/png"),
            ("tar.thing", "application/x-tar-thing"),
        ]
    )
    func extensions(_ tag: String, _ mimeType: String) throws {
        #expect(try Self.match(tag, .filenameExtension)?.mimeType == mimeType)
    }

    @Test("The required supertype decides between the types of an extension, or rejects them all")
    func required() throws {
        #expect(try Self.match("both", .filenameExtension, ["public.text"])?.mimeType == "application/x-script")
        #expect(try Self.match("tie", .filenameExtension, ["public.movie"])?.mimeType == "video/x-second")
        #expect(try Self.match("tie", .filenameExtension, [])?.mimeType == "font/x-first")
        #expect(try Self.match("tie", .filenameExtension, ["com.apple.package"]) == nil)
        #expect(try Self.match("application/x-script", .mimeType, ["public.source-code"]) == nil)
        #expect(try Self.match("inode/thing", .mimeType) == nil)
        #expect(try Self.match("inode/thing", .mimeType, [])?.supertypes == [])
    }

    @Test("Text types are text, whether the database lists them or not")
    func unlistedText() throws {
        #expect(try Self.match("text/x-unknown", .mimeType)?.supertypes == ["public.plain-text"])
    }

    @Test("Types that the database does not know are unchanged")
    func unknown() throws {
        #expect(try Self.match("image/unknown", .mimeType) == nil)
        #expect(try Self.match("unknown", .filenameExtension) == nil)
    }

    @Test("A pattern has a weight of 0 to 100", arguments: [("0", true), ("100", true), ("101", false), ("-1", false)])
    func weights(weight: String, isValid: Bool) {
        #expect((MimeGlob(fields: [weight, "a/b", "*.c"]) != nil) == isValid)
    }

    @Test("A line that closes a type cancels its patterns in directories of lower precedence")
    func closedType() {
        let directories = ["0:text/x-a:__NOGLOBS__\n50:text/x-a:*.own\n", "50:text/x-a:*.other\n"].map { globs in
            var files = SharedMimeInfo.Files()
            files.globs = Array(globs.utf8)
            return files
        }
        #expect(SharedMimeInfo(directories).filenameExtensions(of: "text/x-a") == ["own"])
    }

    @Test("The first four tags of a type are looked up")
    func manyTags() throws {
        for (count, isFound) in [(3, true), (4, false)] {
            let others = (0..<count).map { "x\($0)," }.joined()
            let type = try #require(DynamicType("dyn.a" + Base32.encode(Array("?0=6:1=\(others)scr".utf8))))
            #expect((Self.database.match(for: type) != nil) == isFound)
        }
    }

    @Test("A charset does not prevent a type from being found")
    func charset() throws {
        #expect(try Self.match("text/x-capital;charset=koi8-r", .mimeType)?.supertypes == ["public.plain-text"])
    }

    @Test("Names of one type are synonyms, and its extensions are ordered by weight, then by length")
    func names() {
        #expect(Self.database.otherNames(of: "application/x-PNG") == ["image/png", "image/x-portable"])
        #expect(Self.database.otherNames(of: "image/png") == ["image/x-portable", "application/x-png"])
        #expect(Self.database.otherNames(of: "text/x-unknown").isEmpty)
        #expect(Self.database.filenameExtensions(of: "text/x-old-script") == ["scr", "both", "scrs", "s1"])
        #expect(Self.database.filenameExtensions(of: "image/x-portable") == ["png"])
        #expect(Self.database.filenameExtensions(of: "text/x-unknown").isEmpty)
    }
}
