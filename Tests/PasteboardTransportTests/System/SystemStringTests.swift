import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure)
struct SystemStringTests {
    @Test("Bytes that are not UTF-8 are shown as numbers and have no text")
    func text() {
        #expect(SystemString("é.txt").text == "é.txt")
        let odd = SystemString([0x61, 0xFF, 0x0A, 0xC3])
        #expect(odd.text == nil)
        #expect(odd.description == "a\\xFF\n\\xC3")
        #expect(SystemString([0x61, 0, 0x62]).bytes == [0x61])
    }

    @Test(
        "A path has a last component and a directory",
        arguments: [
            ("a", "a", "."), ("a/b", "b", "a"), ("/a", "a", "/"), ("/", nil, "/"), ("//", nil, "/"), ("", nil, "."),
            ("a/b/", "b", "a"), ("a//b//", "b", "a"), ("./-x", "-x", "."), ("/a/b/c", "c", "/a/b"), ("..", "..", "."),
        ] as [(SystemString, SystemString?, SystemString)]
    )
    func components(path: SystemString, last: SystemString?, directory: SystemString) {
        #expect(path.lastComponent == last)
        #expect(path.directory == directory)
        #expect(System.directory(of: path.description) == directory.description)
    }

    @Test("A component is appended after one slash")
    func appending() {
        #expect(SystemString("/").appending("a") == "/a")
        #expect(SystemString("a").appending("b") == "a/b")
    }
}
