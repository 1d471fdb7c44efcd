import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing
import TypeIdentifiers

/// Lists of files as file managers exchange them.
@Suite(.pure) struct FileListTests {
    @Test(
        "A list of files of this machine is read in all forms",
        arguments: [
            ("file:///a%20b\r\nfile://localhost/c\r\n", ["/a b", "/c"]), ("# x\nfile:///a", ["/a"]),
            ("copy\nfile:///a\nfile:///b", ["/a", "/b"]), ("cut\nfile:///%E9", ["/\\xE9"]),
            ("file:///a%2Fb", ["/a/b"]),
            ("file://other/a", nil), ("https://example.com/", nil), ("file:///a\r\nhttps://example.com/", nil),
            ("file:///%00", nil), ("file:///%zz", nil), ("file:///%4", nil), ("file://", nil), ("", nil), ("copy", nil),
            ("/a", nil),
        ] as [(String, [String]?)]
    )
    func parsed(_ text: String, _ paths: [String]?) {
        let list = FileList(parsing: Array(text.utf8))
        #expect(list?.paths.map(\.description) == paths)
        #expect(list?.isCut ?? false == (text.hasPrefix("cut") && paths != nil))
    }

    @Test("Copied files are lists where their paths are valid, and nowhere else")
    func copied() throws {
        let paths: [SystemString] = ["/a b%", SystemString([0x2F, 0xE9, 0x0A])]
        let items = try paths.map { path in
            var item = Item(suggestedName: nil)
            item.teamData = try #require(FileOrigin(path: path)).teamData
            return item
        }
        let list = try #require(FileList(of: [Item(suggestedName: nil)] + items))
        #expect(list.paths == paths)
        let (gnome, uris) = (FileList.types[0], FileList.types[1])
        // Supertypes would come from the system's database, which takes longer to read than a paste.
        #expect(gnome.closure.isEmpty && uris.closure.isEmpty)
        #expect(list.bytes(as: gnome) == Array("copy\nfile:///a%20b%25\nfile:///%E9%0A".utf8))
        #expect(list.bytes(as: uris) == Array("file:///a%20b%25\r\nfile:///%E9%0A\r\n".utf8))
        for type in FileList.types { #expect(FileList(parsing: list.bytes(as: type))?.paths == paths) }

        var other = items[0]
        other.teamData = Array("file\0mnt:[1]\0/a".utf8)
        var foreign = items[0]
        foreign.teamData = Array("data of a program".utf8)
        #expect(FileList(of: [other, foreign, Item(suggestedName: nil)]) == nil)
    }

    @Test("A list is one of files only if it was written where its paths are valid")
    func written() throws {
        var item = Item(suggestedName: nil)
        item.representations = [Representation(of: FileList.types[1])]
        #expect(!item.isListOfFiles)
        item.teamData = Array("file\0mnt:[1]\0".utf8)
        #expect(!item.isListOfFiles)
        item.teamData = try #require(FileOrigin(path: "")).teamData
        #expect(item.isListOfFiles)
        item.representations = [Representation(of: .utf8PlainText)]
        #expect(!item.isListOfFiles)
    }
}
