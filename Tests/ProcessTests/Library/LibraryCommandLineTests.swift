import PasteboardKit
import TestSupport
import Testing

/// Programs with the library on one side, and the command line on the other.
@Suite(.processes) struct LibraryCommandLineTests {
    private let desk: Desk

    init() throws {
        desk = try Desk(.socket)
        // A broker runs from here on.
        try desk.copy("nothing yet")
    }

    private func peer(_ role: String, _ words: [String]) throws -> PeerProcess {
        let words = [role, desk.directory["socket"]] + words
        let peer = try PeerProcess("library-peer", words, environment: desk.environment)
        if role == "source" { try peer.expect("promised") }
        return peer
    }

    @Test("Items of a program are listed and pasted, each asked for once")
    func items() throws {
        let source = try peer("source", ["name=v1.2", "data", "custom", "stream", "object"])
        let types = try desk.run("types").text.split(separator: "\n")
        #expect(
            types.map { $0.split(separator: " ").joined(separator: " ") } == [
                "public.png - promised item 1 v1.2", "org.example.place - promised item 2 v1.2",
                "public.utf8-plain-text - promised item 2 v1.2", "com.compuserve.gif - promised item 3 v1.2",
                "public.utf8-plain-text - promised item 4 v1.2",
            ]
        )
        #expect(try desk.run("list").text.contains("4 items"))
        #expect(try desk.run("paste", "--item", "2").text == "Sequoia")
        #expect(try desk.run("paste", "--item", "2", "-t", "public.json").text == #"{"name":"Sequoia"}"#)
        #expect(try desk.run("paste", "--item", "4").text == "a note")
        #expect(try desk.run("paste", "--item", "3").output.count == 400_000)
        try source.expect("asked")
        try source.expect("asked")
        try source.expect("asked")
        _ = try desk.directory.makeDirectory("out")
        let paths = try desk.run("paste", "--into", "out")
        #expect(paths.text == "out/v1.2.png\nout/v1.2\nout/v1.2.gif\nout/v1.2.txt\n", "\(paths.errorText)")
        #expect(try desk.directory.contents(of: "out/v1.2.png") == desk.run("paste").output)
        #expect(try desk.run("clear").exitCode == 0)
        #expect(try source.rest() == Array(repeating: "asked", count: 5) + ["ended cleared"])
    }

    @Test("A program learns which contents of ended ones made room for its own, and may forbid it")
    func makingRoom() async throws {
        let desk = try Desk(.socket, limits: "boards = 1\n")
        try desk.copy("x", "--board", "left")
        let connection = PasteboardConnection(socketPath: desk.directory["socket"], startsBroker: false)
        let board = Pasteboard(name: "new", connection: connection)
        let error = await #expect(throws: PasteboardError.self) {
            try await board.write("text", options: .init(evictsOthers: false))
        }
        #expect(error?.code == .noSpace)
        #expect(try desk.run("paste", "--board", "left").text == "x")
        #expect(try await board.write("text").clearedPasteboards == ["left"])
        await connection.close()
    }

    @Test("A folder is pasted as its tree, or as a tar archive if a tree is not possible")
    func folder() throws {
        _ = try desk.directory.makeDirectory("folder")
        try desk.directory.write("1", to: "folder/-x")
        let source = try peer("source", ["name=../tree", "file=\(desk.directory["folder"])", "folder"])
        #expect(try desk.run("types").text.hasPrefix("public.folder  -  promised  "))
        #expect(try desk.shell("pasteboard paste | tar -t | sort").text == "folder/\nfolder/-x\n")
        #expect(try desk.run("paste", "--into", ".").text == "./_tree\n")
        #expect(try desk.shell("cd _tree; ls -A; cat ./-x").text == "-x\n1")
        let archive = try desk.run("paste", "-o", "x")
        #expect(archive.exitCode == 0 && archive.errorText.contains("x is a tar archive of the folder"))
        #expect(try desk.shell("tar -tf x | sort").text == "folder/\nfolder/-x\n")
        #expect(try desk.run("clear").exitCode == 0)
        #expect(try source.rest() == Array(repeating: "asked", count: 3) + ["ended cleared"])
    }

    @Test("A copied directory is a folder for the library too", arguments: [10, 200_000])
    func copiedFolder(count: Int) throws {
        try #require(try desk.shell("mkdir -p tree/sub && head -c \(count) /dev/zero >tree/sub/f").exitCode == 0)
        #expect(try desk.run("copy", "tree").exitCode == 0)
        let lines = try peer("destination", ["file"]).rest()
        #expect(lines.contains { $0.hasSuffix("file tree:sub,sub/f public.folder copy tree") }, "\(lines)")
    }

    @Test("Contents kept by `copy` are loaded in each form")
    func copied() throws {
        try desk.directory.write(Desk.bytes(100_000), to: "a b.png")
        try desk.directory.write("text\n", to: "note.txt")
        try desk.run("copy", "a b.png", "note.txt")
        let lines = try peer("destination", ["types", "file", "inPlace", "object"]).rest()
        #expect(
            lines == [
                "items 2", "0 types public.png a%20b.png",
                "0 file damaged:100000 public.png copy a%20b.png", "0 inPlace damaged:100000 public.png copy a%20b.png",
                "0 object damaged:100000", "1 types public.plain-text note.txt",
                "1 file text:text%0A public.plain-text copy note.txt",
                "1 inPlace text:text%0A public.plain-text copy note.txt", "1 object string:text%0A",
            ]
        )
        try desk.copy("latin \u{FC}", "--name", "n")
        #expect(
            try peer("destination", ["data", "object", "file"]).rest() == [
                "items 1", "0 data text:latin%20%C3%BC public.utf8-plain-text", "0 object string:latin%20%C3%BC",
                "0 file text:latin%20%C3%BC public.utf8-plain-text copy n.txt",
            ]
        )
    }
}
