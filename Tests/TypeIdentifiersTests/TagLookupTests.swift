import TestSupport
import Testing
import TypeIdentifiers

@Suite("Tags", .pure)
struct TagLookupTests {
    @Test(
        "Extensions find types, in any case",
        arguments: [
            ("txt", "public.plain-text"), ("TXT", "public.plain-text"), ("png", "public.png"), ("jpg", "public.jpeg"),
            ("JPEG", "public.jpeg"), ("htm", "public.html"), ("json", "public.json"),
            ("md", "net.daringfireball.markdown"),
            ("c++", "public.c-plus-plus-source"), ("mp4", "public.mpeg-4"),
            ("plist", "com.apple.property-list"), ("pkg", "com.apple.installer-package-archive"),
            ("app", "com.apple.application-file"), ("url", "com.microsoft.internet-shortcut"),
            ("toy", "dyn.ah62d4rv4ge81k553"),
        ]
    )
    func extensions(_ tag: String, _ identifier: String) {
        #expect(UniformType(filenameExtension: tag)?.identifier == identifier)
    }

    @Test(
        "MIME types find types; parameters count only as the charset of text",
        arguments: [
            ("text/plain", "public.plain-text"), ("Text/Plain", "public.plain-text"),
            ("text/plain;charset=utf-8", "public.utf8-plain-text"),
            ("text/plain; charset=UTF-8", "public.utf8-plain-text"),
            ("text/plain ; format=flowed ; Charset=\"utf8\"", "public.utf8-plain-text"),
            ("text/plain;charset=utf-16", "public.utf16-plain-text"),
            ("text/plain;charset=us-ascii", "public.utf8-plain-text"), ("text/plain;charset", "public.plain-text"),
            ("text/plain;charset=a//b", "public.plain-text"),
            ("text/plain;charset=", "public.plain-text"), ("text/plain;", "public.plain-text"),
            ("text/html;charset=utf-8", "public.html"), ("image/png;q=1", "public.png"), ("image/jpg", "public.jpeg"),
            ("application/json; charset=utf-8", "public.json"), ("application/octet-stream", "public.data"),
            ("application/x-msdownload", "com.microsoft.windows-executable"), ("image/svg+xml", "public.svg-image"),
            ("text/x-unknown; charset=utf-8", "dyn.ah62d4rv4gq81k3p2su11uppzr3z06551r2"),
            ("Application/X-Foo", "dyn.ah62d4rv4gq80c6durvy0g2pyrf106p52fzxg852"),
        ]
    )
    func mimeTypes(_ tag: String, _ identifier: String) {
        #expect(UniformType(mimeType: tag)?.identifier == identifier)
    }

    @Test("An invalid extension has no type", arguments: ["", "a/b", "/", ".txt", "a\u{0}", "a\nb"])
    func invalidExtension(_ tag: String) {
        #expect(UniformType(filenameExtension: tag) == nil)
        #expect(UniformType.types(tag: tag, tagClass: .filenameExtension, conformingTo: nil).isEmpty)
    }

    @Test(
        "An invalid MIME type has no type",
        arguments: ["", "/", "text", "text/", "/plain", "a/b/c", "te xt/plain", "text/plain extra", ";", "text/ä"]
    )
    func invalidMIMEType(_ tag: String) {
        #expect(UniformType(mimeType: tag) == nil)
    }

    @Test("The requested supertype decides between several types, then the order of the table")
    func collisions() throws {
        #expect(UniformType(filenameExtension: "mp4", conformingTo: .audio) == .mpeg4Audio)
        #expect(UniformType(filenameExtension: "plist", conformingTo: .xml) == .xmlPropertyList)
        #expect(UniformType(filenameExtension: "app", conformingTo: .directory) == .applicationBundle)
        #expect(UniformType(filenameExtension: "rtfd", conformingTo: .package) == .rtfd)
        #expect(UniformType(filenameExtension: "rtfd")?.isDynamic == true)
        let image = try #require(UniformType(filenameExtension: "txt", conformingTo: .image))
        #expect(image.isDynamic && image.conforms(to: .image))
        let all = UniformType.types(tag: "plist", tagClass: .filenameExtension, conformingTo: nil)
        #expect(
            all.map(\.identifier) == [
                "com.apple.property-list", "com.apple.xml-property-list", "com.apple.binary-property-list",
                "com.apple.ascii-property-list",
            ]
        )
        #expect(UniformType.types(tag: "nosuch", tagClass: .filenameExtension, conformingTo: .data).count == 1)
    }

    @Test(
        "A lookup of a tag returns all its types, in the order of the table",
        arguments: [
            ("mp4", ["public.mpeg-4", "public.mpeg-4-audio"]), ("mpg4", ["public.mpeg-4", "public.mpeg-4-audio"]),
            ("app", ["com.apple.application-bundle", "com.apple.application-file"]),
            ("pkg", ["com.apple.installer-package", "com.apple.installer-package-archive"]),
        ]
    )
    func claimants(_ tag: String, _ identifiers: [String]) {
        let types = UniformType.types(tag: tag, tagClass: .filenameExtension, conformingTo: nil)
        #expect(Set(types.map(\.identifier)).isSuperset(of: identifiers))
        for type in types {
            #expect(UniformType(tag: tag, tagClass: .filenameExtension, conformingTo: type) == type)
            #expect(type.tags[.filenameExtension]?.contains(tag) == true)
        }
        #expect(UniformType(tag: tag, tagClass: .filenameExtension, conformingTo: nil) == types.first)
    }

    @Test("Preferred tags are the first ones, and abstract types have none")
    func preferred() {
        #expect(UniformType.plainText.preferredFilenameExtension == "txt")
        #expect(UniformType.plainText.preferredMIMEType == "text/plain")
        #expect(UniformType.utf8PlainText.preferredMIMEType == "text/plain;charset=utf-8")
        #expect(UniformType.jpeg.tags[.filenameExtension] == ["jpeg", "jpg", "jpe"])
        #expect(UniformType.image.preferredFilenameExtension == nil)
        #expect(UniformType.image.tags.isEmpty)
    }

    @Test("An unknown class of tags has no types")
    func unknownClass() {
        let tagClass = UniformType.TagClass(rawValue: "com.example.tags")
        #expect(UniformType(tag: "x", tagClass: tagClass, conformingTo: nil) == nil)
    }

    @Test(
        "A user's spelling of a type is understood",
        arguments: [
            ("text", "public.text"), ("image", "public.image"), ("Text", "public.text"), ("public.png", "public.png"),
            ("com.example.thing", "com.example.thing"), ("image/png", "public.png"), (".png", "public.png"),
            (".toy", "dyn.ah62d4rv4ge81k553"), (".rtfd", "com.apple.rtfd"),
            ("application/x-foo", "dyn.ah62d4rv4gq80c6durvy0g2pyrf106p52fzxg852"),
            ("dyn.ah62d4rv4ge81k553", "dyn.ah62d4rv4ge81k553"), ("text/*", "public.text"), ("Image/*", "public.image"),
            ("audio", "public.audio"), ("audio/*", "public.audio"), ("video", "public.movie"),
            ("video/*", "public.movie"), ("movie", "public.movie"), ("font/*", "public.font"), ("png", "public.png"),
            ("PNG", "public.png"), ("jpg", "public.jpeg"), ("html", "public.html"), ("url", "public.url"),
            ("plain-text", "public.plain-text"), ("txt", "public.plain-text"), ("c++", "public.c-plus-plus-source"),
            ("rs", "org.rust-lang.rust-script"), (".rs", "org.rust-lang.rust-script"),
        ]
    )
    func spelling(_ spelling: String, _ identifier: String) {
        #expect(UniformType.fromUserSpelling(spelling)?.identifier == identifier)
    }

    @Test(
        "Every name of other programs is a type that has the name, and the type of the name without parameters",
        arguments: [
            ("_VIM_TEXT", "public.data"), ("vscode-editor-data", "public.data"), ("PIXMAP", "public.data"),
            ("_NETSCAPE_URL", "public.data"), ("GTK_TEXT_BUFFER_CONTENTS", "public.data"),
            ("HTML Format", "public.data"),
            ("x-kde-passwordManagerHint", "public.data"), ("text/_moz_htmlinfo", "public.data"),
            ("application/web;type=\"custom/a;b=c\"", "public.data"), ("image/png;x=1", "public.png"),
            ("text/html; Level=2", "public.html"), ("text/plain;charset=utf-8;format=flowed", "public.utf8-plain-text"),
            ("inode/directory", "public.folder"),
        ]
    )
    func names(_ name: String, _ supertype: String) throws {
        let type = try #require(UniformType.fromUserSpelling(name))
        #expect(type.names.first == name)
        #expect(type.conforms(to: try #require(UniformType(supertype))))
        #expect(UniformType.fromName(name) == type)
        #expect(UniformType(identifier: type.identifier, supertypes: []).names.first == name)
        #expect(UniformType.fromUserSpelling(name + "x") != type)
    }

    @Test(
        "All names of a type lead to it, and a type without a name has those of its nearest supertype",
        arguments: [
            ("public.python-script", ["text/x-python-script", "text/x-python", "text/x-python3"]),
            ("public.shell-script", ["application/x-shellscript", "text/x-shellscript", "application/x-sh"]),
            ("public.yaml", ["application/x-yaml", "application/yaml", "text/yaml"]),
            ("public.c-source", ["text/x-csrc", "text/x-c"]), ("public.png", ["image/png"]),
            ("com.example.unknown-name", ["application/octet-stream"]),
        ]
    )
    func aliases(_ identifier: String, _ names: [String]) throws {
        let type = UniformType(importedAs: identifier)
        #expect(Set(type.names).isSuperset(of: names) && type.names.first == names.first)
        for name in type.names where type.isSystemDeclared {
            #expect(UniformType.fromName(name) == type, "\(name)")
        }
        #expect(UniformType(filenameExtension: "toy")?.names == ["application/octet-stream"])
    }

    @Test(
        "A misspelling finds no type",
        arguments: [
            "", ".", "pgn", "toy", "a b.c", "dyn.nonsense", "text/", "..", "./x", "*", "*/*", "application/*", "a*",
        ]
    )
    func slips(_ spelling: String) {
        #expect(UniformType.fromUserSpelling(spelling) == nil)
        #expect(UniformType.accepted(byUserSpelling: spelling).isEmpty)
    }

    @Test(
        "A user who accepts an extension of several types accepts each of them",
        arguments: [
            (".ts", ["public.mpeg-2-transport-stream", "com.microsoft.typescript"]),
            ("ts", ["public.mpeg-2-transport-stream", "com.microsoft.typescript"]),
            (".bin", ["com.apple.macbinary-archive", "dyn.ah62d4rv4ge80e4ps"]), (".png", ["public.png"]),
            ("png", ["public.png"]), (".toy", ["dyn.ah62d4rv4ge81k553"]), (".rtfd", ["com.apple.rtfd"]),
            ("image/png", ["public.png"]), ("com.example.thing", ["com.example.thing"]),
        ]
    )
    func accepted(_ spelling: String, _ identifiers: [String]) {
        #expect(UniformType.accepted(byUserSpelling: spelling).map(\.identifier) == identifiers)
    }

    @Test(
        "A dynamic identifier is shown with the tag that it contains",
        arguments: [
            ("dyn.ah62d4rv4ge81k553", "dyn.ah62d4rv4ge81k553 (.toy)"), ("public.png", "public.png"),
            (
                "dyn.ah62d4rv4gq80c6durvy0g2pyrf106p52fzxg852",
                "dyn.ah62d4rv4gq80c6durvy0g2pyrf106p52fzxg852 (application/x-foo)"
            ),
            ("dyn.nonsense", "dyn.nonsense"),
        ]
    )
    func readable(_ identifier: String, _ text: String) {
        #expect(UniformType.readable(identifier) == text)
    }

    @Test("An undeclared identifier counts as data")
    func undeclaredSpelling() {
        #expect(UniformType.fromUserSpelling("com.example.spelled")?.conforms(to: .data) == true)
        #expect(UniformType("com.example.spelled") == nil)
    }

    @Test(
        "Files have the type of their extension",
        arguments: [
            ("a.png", "public.png"), ("/tmp/x.y/a.PNG", "public.png"), ("README", "public.data"), ("", "public.data"),
            (".bashrc", "public.data"), (".a.txt", "public.plain-text"), ("a.", "public.data"), ("/", "public.data"),
            ("/tmp/x.y/README", "public.data"), ("a.tar.gz", "org.gnu.gnu-zip-archive"), ("..", "public.data"),
            ("cat.toy", "dyn.ah62d4rv4ge81k553"),
        ]
    )
    func files(_ name: String, _ identifier: String) {
        #expect(UniformType.forFile(named: name).identifier == identifier)
    }
}
