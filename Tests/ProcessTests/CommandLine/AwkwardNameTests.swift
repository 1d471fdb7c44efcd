import TestSupport
import Testing

/// Files with difficult names, between processes.
@Suite(.processes) struct AwkwardNameTests {
    private struct Name {
        /// The name of the source's file.
        let given: String
        /// The loaded copy, as the peer shows it.
        let loaded: String
    }

    nonisolated private static let names = [
        Name(given: "a b.txt", loaded: "a%20b.txt"),
        Name(given: " x ", loaded: "x.txt"),
        Name(given: "a\nb.txt", loaded: "a_b.txt"),
        Name(given: "-rf.txt", loaded: "_rf.txt"),
        Name(given: ".hidden.txt", loaded: "hidden.txt"),
        Name(given: "...", loaded: "pasted.txt"),
        Name(given: "..x..txt", loaded: "x..txt"),
        Name(given: "*", loaded: "%2A.txt"),
        Name(given: "世界.txt", loaded: "%E4%B8%96%E7%95%8C.txt"),
        Name(given: "e\u{301}.txt", loaded: "e%CC%81.txt"),
        Name(given: "a\u{202E}txt.exe", loaded: "a_txt.exe.txt"),
        Name(given: "\u{200F}שלום.txt", loaded: "_%D7%A9%D7%9C%D7%95%D7%9D.txt"),
        Name(given: "\u{2066}x\u{2069}.txt", loaded: "_x_.txt"),
        Name(given: "a\u{7F}\u{1B}[31m.txt", loaded: "a__%5B31m.txt"),
        Name(given: "no extension", loaded: "no%20extension.txt"),
        Name(given: "wrong.png", loaded: "wrong.png.txt"),
        Name(given: "UPPER.TXT", loaded: "UPPER.TXT"),
        Name(given: String(repeating: "n", count: 251) + ".txt", loaded: String(repeating: "n", count: 251) + ".txt"),
        Name(given: String(repeating: "n", count: 255), loaded: String(repeating: "n", count: 251) + ".txt"),
        Name(
            given: String(repeating: "ö", count: 127) + "x",
            loaded: String(repeating: "%C3%B6", count: 125) + ".txt"
        ),
    ]

    @Test("A copied file has its own name, made harmless, and a file opened in place its exact name")
    func files() throws {
        let directory = try TemporaryDirectory()
        let words = try Self.names.flatMap { name in
            ["file=\(try directory.write("text", to: name.given))", "file"]
        }
        try BrokerProcess.run { broker in
            _ = try broker.librarySource(words)
            let lines = try broker.libraryDestination(["file", "inPlace"]).rest()
            #expect(lines.count == 2 * Self.names.count + 1)
            for (index, name) in Self.names.enumerated() where lines.count > 2 * index + 2 {
                #expect(lines[2 * index + 1] == "\(index) file text:text public.plain-text copy \(name.loaded)")
                let own = Self.shown(name.given)
                #expect(lines[2 * index + 2] == "\(index) inPlace text:text public.plain-text own \(own)")
            }
        }
    }

    @Test("A suggested name is made harmless on its way, and so is a folder's")
    func suggestions() throws {
        let directory = try TemporaryDirectory()
        _ = try directory.makeDirectory("folder")
        try directory.write("1", to: "folder/file")
        let suggestions =
            Self.names + [
                Name(given: "..", loaded: "pasted.txt"), Name(given: "../../x", loaded: "_.._x.txt"),
                Name(given: "/etc/passwd", loaded: "_etc_passwd.txt"), Name(given: "", loaded: "pasted.txt"),
                Name(given: String(repeating: "n", count: 4_000), loaded: String(repeating: "n", count: 251) + ".txt"),
            ]
        let file = try directory.write("text", to: "text")
        let words =
            ["file=\(file)"] + suggestions.flatMap { ["name=\($0.given)", "file"] }
            + ["file=\(directory["folder"])", "name=../.\u{202E}x", "folder"]
        try BrokerProcess.run { broker in
            _ = try broker.librarySource(words)
            let lines = try broker.libraryDestination(["file"]).rest()
            #expect(lines.count == suggestions.count + 2)
            for (index, name) in suggestions.enumerated() where lines.count > index + 1 {
                // An unusable suggestion leaves the name of the file.
                let loaded = ["pasted.txt"].contains(name.loaded) ? "text.txt" : name.loaded
                #expect(lines[index + 1] == "\(index) file text:text public.plain-text copy \(loaded)")
            }
            #expect(lines.last == "\(suggestions.count) file tree:file public.folder copy _._x")
        }
    }

    @Test("Folders and their contents keep their names, whatever these are")
    func folders() throws {
        let directory = try TemporaryDirectory()
        // The folder's own name is made harmless; the names in it are left to the source.
        let folders = [
            ("-C", "_C"), ("a b", "a%20b"), ("a\nb", "a_b"), (#"a\101"#, "a%5C101"), ("*", "%2A"), ("--help", "_-help"),
            (".hidden", "hidden"), ("世", "%E4%B8%96"), ("a\u{202E}b", "a_b"), ("x.png", "x.png"),
        ]
        let files = ["-rf", "a b", "a\nb", #"a\101"#, "*", "--to-command=x", ".hidden", "世", "a\u{202E}b"]
        var words: [String] = []
        for (name, _) in folders {
            _ = try directory.makeDirectory(name)
            for file in files { try directory.write("1", to: "\(name)/\(file)") }
            words += ["file=\(directory[name])", "folder"]
        }
        _ = try directory.makeDirectory("empty")
        words += ["file=\(directory["empty"])", "folder"]
        let tree = "tree:" + files.sorted().map(Self.shown).joined(separator: ",") + " public.folder copy"
        try BrokerProcess.run { broker in
            _ = try broker.librarySource(words)
            let lines = try broker.libraryDestination(["file"]).rest()
            #expect(lines.count == folders.count + 2)
            for (index, (name, loaded)) in folders.enumerated() where lines.count > index + 1 {
                #expect(lines[index + 1] == "\(index) file \(tree) \(loaded)", "\(name)")
            }
            #expect(lines.last == "\(folders.count) file tree: public.folder copy empty")
        }
    }

    private static func shown(_ name: String) -> String {
        name.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain = byte < 128 && (character.isLetter || character.isNumber || "-._:/".contains(character))
            return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
