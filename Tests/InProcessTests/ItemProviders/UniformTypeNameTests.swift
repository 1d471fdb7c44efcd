import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

@Suite("File names by type", .inProcess)
struct UniformTypeNameTests {
    static let cases: [(String, UniformType, String)] = [
        ("puppy", .jpeg, "puppy.jpeg"), ("puppy.jpg", .jpeg, "puppy.jpg"), ("puppy.JPG", .image, "puppy.JPG"),
        ("puppy.jpg", .plainText, "puppy.jpg.txt"), ("puppy", .image, "puppy"), ("notes", .utf8PlainText, "notes.txt"),
        ("notes.txt", .utf8PlainText, "notes.txt"), ("main.swift", .plainText, "main.swift"),
        (".hidden", .png, ".hidden.png"), ("a.b", .item, "a.b"), ("v1.2", .pdf, "v1.2.pdf"), ("x.", .png, "x..png"),
        ("größe", .json, "größe.json"), ("Tool", .applicationBundle, "Tool.app"),
    ]

    @Test("An extension is added unless the name already has an extension of the type", arguments: cases)
    func names(_ name: String, _ type: UniformType, _ result: String) {
        #expect(name.appendingPathExtension(for: type) == result)
        #expect("dir".appendingPathComponent(name, conformingTo: type) == "dir/" + result)
        let url = URL(filePath: "/dir", directoryHint: .isDirectory)
        let whole = url.appendingPathComponent(name, conformingTo: type)
        #expect(whole.lastPathComponent == result)
        #expect(whole.hasDirectoryPath == type.conforms(to: .directory))
        #expect(
            url.appending(component: name, directoryHint: .notDirectory).appendingPathExtension(for: type).path
                == "/dir/\(result)"
        )
        var changed = url
        changed.appendPathComponent(name, conformingTo: type)
        #expect(changed == whole)
        changed.appendPathExtension(for: type)
        #expect(changed.lastPathComponent.hasPrefix(result))
    }

    @Test("A file of a dynamic type keeps its extension")
    func dynamic() throws {
        let type = try #require(UniformType(filenameExtension: "toy"))
        #expect("cat".appendingPathExtension(for: type) == "cat.toy")
        #expect("cat.TOY".appendingPathExtension(for: type) == "cat.TOY")
    }

    @Test("A path that does not name a file gets no extension")
    func noName() throws {
        #expect("".appendingPathExtension(for: .png) == "")
        #expect("dir/".appendingPathExtension(for: .png) == "dir/")
        #expect("".appendingPathComponent("a", conformingTo: .png) == "a.png")
        #expect("/".appendingPathComponent("a", conformingTo: .png) == "/a.png")
        #expect("a.dir/name".appendingPathExtension(for: .png) == "a.dir/name.png")
        let root = try #require(URL(string: "https://example.com/"))
        #expect(root.appendingPathExtension(for: .png) == root)
        let page = try #require(URL(string: "https://example.com/page?q=1"))
        #expect(page.appendingPathExtension(for: .html).absoluteString == "https://example.com/page.html?q=1")
    }

    @Test("The type of a file follows from its kind, then from its name")
    func files() throws {
        let directory = try TemporaryDirectory()
        for name in ["a.png", "plain", "x.toy", "dir.png.txt"] { try directory.write("", to: name) }
        for name in ["folder", "Tool.app", "pictures.png"] { _ = try directory.makeDirectory(name) }
        try FileManager.default.createSymbolicLink(atPath: directory["link.png"], withDestinationPath: "a.png")
        try FileManager.default.createSymbolicLink(atPath: directory["loop"], withDestinationPath: "folder")
        func type(_ name: String, _ hint: URL.DirectoryHint = .notDirectory) -> UniformType? {
            URL(filePath: directory[name], directoryHint: hint).contentType
        }
        #expect(type("a.png") == .png)
        #expect(type("plain") == .data)
        #expect(type("x.toy") == UniformType(filenameExtension: "toy"))
        #expect(type("dir.png.txt") == .plainText)
        #expect(type("folder", .isDirectory) == .folder)
        #expect(type("Tool.app", .isDirectory) == .applicationBundle)
        #expect(type("pictures.png") == .folder)
        #expect(type("link.png") == .symbolicLink)
        #expect(type("loop", .isDirectory) == .symbolicLink)
        #expect(type("none") == nil)
        #expect(URL(filePath: "/dev/null").contentType == .item)
        #expect(try #require(URL(string: "https://example.com/a.png")).contentType == nil)
    }
}
