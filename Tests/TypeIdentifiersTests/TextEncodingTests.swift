import TestSupport
import Testing
import TypeIdentifiers

@Suite("Charsets of text", .pure)
struct TextEncodingTests {
    @Test(
        "A charset without a declared type is preserved in a dynamic type of the same text",
        arguments: [
            ("text/plain;charset=iso-8859-1", "public.plain-text", "iso-8859-1"),
            ("Text/Plain; Format=flowed; Charset=\"ISO-8859-15\"", "public.plain-text", "iso-8859-15"),
            ("text/plain;charset=latin1", "public.plain-text", "iso-8859-1"),
            ("text/plain;charset=utf-16be", "public.plain-text", "utf-16be"),
            ("text/html;charset=windows-1252", "public.html", "windows-1252"),
            ("text/html;charset=utf-16", "public.html", "utf-16"),
            ("text/x-unknown;charset=koi8-r", "public.plain-text", "koi8-r"),
            ("text/xml;charset=iso-2022-jp", "public.xml", "iso-2022-jp"),
        ]
    )
    func foreign(_ tag: String, _ supertype: String, _ charset: String) throws {
        let type = try #require(UniformType(mimeType: tag))
        #expect(type.isDynamic)
        #expect(type.conforms(to: try #require(UniformType(supertype))))
        #expect(type.textEncodingName == charset)
        #expect(type.preferredMIMEType?.hasSuffix(";charset=\(charset)") == true)
        #expect(UniformType(type.identifier)?.textEncodingName == charset)
        #expect(type.preferredMIMEType.flatMap { UniformType(mimeType: $0) } == type)
    }

    @Test("Another spelling of a charset is the same type, and another charset another type")
    func identity() {
        let latin = UniformType(mimeType: "text/plain;charset=iso-8859-1")
        #expect(UniformType(mimeType: "TEXT/PLAIN; a=b; charset=Latin1") == latin)
        #expect(UniformType(mimeType: "text/plain;charset=iso-8859-2") != latin)
        #expect(latin?.identifier == "dyn.ah62d4sb4gq81k3p2su11a5dbrf1d025kqf3hg3pypu80w65tfy6durm3fy2u")
    }

    @Test("A required supertype is kept, and so is the charset")
    func required() throws {
        let html = try #require(UniformType(mimeType: "text/html;charset=koi8-r", conformingTo: .text))
        #expect(html.conforms(to: .html))
        let image = try #require(UniformType(mimeType: "text/html;charset=koi8-r", conformingTo: .image))
        #expect(image.conforms(to: .image) && !image.conforms(to: .text))
        #expect(image.textEncodingName == "koi8-r")
    }

    @Test(
        "Types whose text has a fixed encoding report it, and so do their subtypes",
        arguments: [
            ("public.utf8-plain-text", "UTF-8"), ("PUBLIC.UTF8-plain-text", "UTF-8"),
            ("net.daringfireball.markdown", "UTF-8"), ("public.utf8-tab-separated-values-text", "UTF-8"),
            ("public.utf16-plain-text", "UTF-16"), ("public.utf16-external-plain-text", "UTF-16BE"),
            ("com.apple.traditional-mac-plain-text", "MACINTOSH"),
            ("public.plain-text", nil), ("public.text", nil), ("public.html", nil), ("public.png", nil),
            ("dyn.ah62d4rv4ge80g62", nil),
        ]
    )
    func declared(_ identifier: String, _ name: String?) throws {
        #expect(try #require(UniformType(identifier)).textEncodingName == name)
    }

    @Test("A received type has the encoding of the supertypes that its publisher sent")
    func received() {
        let type = UniformType(identifier: "com.example.text-encoding", supertypes: ["public.utf16-plain-text"])
        #expect(type.textEncodingName == "UTF-16")
    }

    @Test(
        "A charset in another program's identifier is a plain name or nil",
        arguments: ["a//TRANSLIT", "", "a b", "é"]
    )
    func harmless(_ charset: String) throws {
        let type = try #require(UniformType(mimeType: "text/plain;charset=\(charset)"))
        #expect(type.textEncodingName == nil)
        #expect(type == .plainText)
    }
}
