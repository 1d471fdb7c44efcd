import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Directories on the command line, whose trees arrive unchanged.
@Suite(.processes) struct CommandLineFolderTests {
    private let desk: Desk

    init() throws {
        desk = try Desk()
        _ = try desk.directory.makeDirectory("out")
    }

    private func outNames() -> [String] { desk.directory.names(in: "out") }

    // MARK: Trees

    @Test("A copied tree keeps its names, modes, links and times, and never replaces another")
    func copied() throws {
        _ = try FolderTree(at: desk)
        let before = try FolderTree.description(of: "tree", at: desk)
        #expect(try desk.run("copy", "tree").exitCode == 0)
        #expect(try desk.run("types").text.hasPrefix("public.folder "))
        let pasted = try desk.run("paste", "--into", "out")
        #expect(pasted.text == "out/tree\n", "\(pasted.errorText)")
        #expect(try desk.run("paste", "--into", "out").text == "out/tree 2\n")
        #expect(try FolderTree.description(of: "out/tree", at: desk) == before)
        #expect(try FolderTree.description(of: "out/tree 2", at: desk) == before)
        #expect(outNames() == ["tree", "tree 2"])
        let odd = try desk.shell("find out -type p -o -type s -o -perm /6000")
        #expect(odd.text.isEmpty)
        // The source is unchanged.
        #expect(try FolderTree.description(of: "tree", at: desk) == before)
    }

    @Test("An offered tree is archived at each load, together with the current files beside it")
    func offered() throws {
        _ = try FolderTree(at: desk)
        try desk.directory.write("a", to: "a.txt")
        let offer = try desk.offer(["tree", "a.txt"])
        #expect(try desk.run("types").text.contains("promised"))
        let pasted = try desk.shell("echo more >tree/more && pasteboard paste --into out")
        #expect(pasted.text == "out/tree\nout/a.txt\n", "\(pasted.errorText)")
        let tree = try FolderTree.description(of: "tree", at: desk)
        #expect(try FolderTree.description(of: "out/tree", at: desk) == tree)
        #expect(try desk.directory.contents(of: "out/a.txt") == [UInt8(ascii: "a")])
        #expect(try desk.run("clear").exitCode == 0)
        #expect(try offer.finish().exitCode == 0)
    }

    @Test("A dragged tree is recreated where it is dropped")
    func dragged() throws {
        _ = try FolderTree(at: desk)
        let drop = try desk.start("drop", "--as", "d", "--into", "out", "--once")
        try drop.waitForErrors(containing: "accepting ")
        let drag = try desk.run("drag", "tree", "--to", "d")
        #expect(drag.exitCode == 0 && drag.text == "copied 1 item to d\n", "\(drag.errorText)")
        let dropped = try drop.finish()
        #expect(dropped.exitCode == 0 && dropped.text == "out/tree\n", "\(dropped.errorText)")
        let tree = try FolderTree.description(of: "tree", at: desk)
        #expect(try FolderTree.description(of: "out/tree", at: desk) == tree)
    }

    @Test(
        "A directory is named by its own name, or by that of the link to it, however its path is written",
        arguments: [(".", "a b"), ("./", "a b"), ("../a b/.", "a b"), ("l", "l"), ("l/", "l"), ("l/.", "a b")]
    )
    func paths(path: String, name: String) throws {
        let made = try desk.shell("mkdir 'a b' && cd 'a b' && ln -s ../'a b' l && echo 1 >f")
        try #require(made.exitCode == 0)
        #expect(try desk.shell("cd 'a b' && pasteboard copy '\(path)'").exitCode == 0)
        #expect(try desk.shell("pasteboard paste | tar -t | head -1").text == "a b/\n")
        #expect(try desk.run("paste", "--into", "out").text == "out/\(name)\n")
    }

    @Test("Without --into a folder becomes a tar archive, with a note")
    func archive() throws {
        try #require(try desk.shell("mkdir tree && echo 1 >tree/f && pasteboard copy tree").exitCode == 0)
        #expect(try desk.shell("pasteboard paste | tar -t | sort").text == "tree/\ntree/f\n")
        let plain = try desk.run("paste", "-o", "x")
        #expect(
            plain.errorText == "pasteboard: paste: x is a tar archive of the folder; --into DIR pastes its tree\n"
        )
        let named = try desk.run("paste", "-o", "x.tar")
        #expect(named.exitCode == 0 && named.errorText.isEmpty, "\(named.errorText)")
        #expect(try desk.shell("pasteboard paste -t tar | tar -t | sort").text == "tree/\ntree/f\n")
        let tree = try desk.run("paste", "-t", "tar", "--into", "out")
        #expect(tree.exitCode == 1 && tree.errorText.contains("no representation is of type public.tar-archive;"))
    }

    // MARK: Refusals

    @Test("A tree that cannot be archived fails the copy, and the old contents stay")
    func unreadable() throws {
        try desk.copy("old")
        let script = """
            #!/bin/sh
            case $1 in --extract) exec /usr/bin/tar "$@" ;; esac
            head -c 200000 /dev/zero; echo 'tar: tree/x: gone' >&2; echo 'tar: later' >&2; exit 2

            """
        try desk.directory.write(script, to: "tar")
        try #require(try desk.shell("chmod +x tar && mkdir tree").exitCode == 0)
        let path = desk.environment["PATH"] ?? ""
        desk.environment["PATH"] = "\(desk.directory.path):\(path)"
        let copy = try desk.run("copy", "tree")
        #expect(copy.exitCode == 4)
        #expect(copy.errorText == "pasteboard: copy: cannot archive tree: tar failed: tar: tree/x: gone\n")
        #expect(try desk.run("paste").text == "old")
        // An offered one fails its load, and nothing of it stays.
        let offer = try desk.offer(["tree"])
        let paste = try desk.run("paste", "--into", "out")
        #expect(paste.exitCode == 5 && paste.errorText.contains("tar: tree/x: gone"), "\(paste.errorText)")
        #expect(outNames().isEmpty)
        #expect(try desk.run("clear").exitCode == 0)
        #expect(try offer.finish().exitCode == 0)

        desk.environment["PATH"] = desk.directory["out"]
        let missing = try desk.run("copy", "tree")
        #expect(missing.exitCode == 4 && missing.errorText.contains("tar, which is needed for folders, is not in PATH"))

        // Another tar, such as that of BusyBox, does not know all options.
        try desk.directory.write("#!/bin/sh\necho \"tar: unrecognized option: pax-option=x\" >&2; exit 1\n", to: "tar")
        desk.environment["PATH"] = "\(desk.directory.path):\(path)"
        #expect(
            try desk.run("copy", "tree").errorText.contains("option: pax-option=x; folders need GNU tar, install it\n")
        )
    }

    @Test(
        "Options that do not apply to a directory are refused",
        arguments: [
            (
                ["copy", "-t", "text", "tree"], CInt(2),
                "tree is a directory, but public.utf8-plain-text is a type of files"
            ),
            (["copy", "-t", ".png=tree"], 2, "tree is a directory, but public.png is a type of files"),
            (["drag", "--move", "--to", "d", "tree"], 2, "cannot move directory tree"),
            (
                ["offer", "/dev/null"], 2,
                "cannot offer /dev/null, because it can be read only once; use 'pasteboard copy'"
            ),
            (
                ["copy"] + Array(repeating: "tree", count: 513), 6,
                "cannot copy 513 files, because a pasteboard holds at most 512 items"
            ),
        ]
    )
    func refused(arguments: [String], code: CInt, text: String) throws {
        _ = try desk.directory.makeDirectory("tree")
        let refused = try desk.shell((["pasteboard"] + arguments).joined(separator: " "))
        #expect(
            refused.exitCode == code && refused.errorText.hasPrefix("pasteboard: \(arguments[0]): \(text)"),
            "\(refused.errorText)"
        )
    }

    // MARK: Ends

    /// Starts a paste that has unpacked the first part of a tree and waits for the rest.
    private func halfPasted(
        _ folder: String = "t"
    ) throws -> (source: RawSource, ask: UInt64, paste: ProcessRunner, working: String) {
        if try desk.run("status").exitCode != 0 { try desk.copy("nothing") }
        let source = try RawSource(at: desk, type: "public.folder")
        let paste = try desk.start("paste", "--into", "out", "--timeout", "infinity")
        let ask = try source.askedForArchive()
        let start = TarMember("\(folder)/", kind: "5").bytes + TarMember("\(folder)/first", contents: "1").bytes
        // More than one record, because tar reads whole records.
        let rest = TarMember("\(folder)/long", contents: String(repeating: "x", count: 100_000)).bytes
        try source.peer.sendData(start + rest.prefix(50_000), stream: ask)
        var working: String?
        try eventually("a folder with the first and the long file") {
            working = try outNames().filter { $0.hasPrefix(".pasteboard-") }.first { name in
                let path = "out/\(name)/\(folder)"
                guard desk.directory.names(in: path).contains("first") else { return false }
                return try System.status(at: desk.directory["\(path)/long"]) != nil
            }
            return working != nil
        }
        return (source, ask, paste, try #require(working))
    }

    @Test("A paste that is ended during a load leaves nothing", arguments: [SIGINT, SIGTERM, SIGHUP])
    func interrupted(signal: CInt) throws {
        let (source, _, paste, _) = try halfPasted()
        try paste.child.kill(signal)
        let ended = try withExtendedLifetime(source) { try paste.finish() }
        #expect(ended.exitCode == 128 + signal, "\(ended.errorText)")
        #expect(outNames().isEmpty)
    }

    @Test("A source that dies during a load leaves nothing")
    func sourceDies() throws {
        let (source, _, paste, _) = try halfPasted()
        source.peer.close()
        #expect(try paste.finish().exitCode == 5)
        #expect(outNames().isEmpty)
    }

    @Test("The leftovers of a killed paste are removed by the next one, except for those in use")
    func killed() throws {
        let first = try halfPasted()
        try first.paste.child.kill(SIGKILL)
        #expect(try first.paste.finish().exitCode == 128 + SIGKILL)
        #expect(outNames() == [first.working])
        let second = try halfPasted("u")
        #expect(outNames() == [second.working])
        // Another paste into the same directory, while the second one continues.
        try desk.copy("x", "--name", "x.txt", "--board", "other")
        #expect(try desk.run("paste", "--board", "other", "--into", "out").text == "out/x.txt\n")
        #expect(outNames() == [second.working, "x.txt"].sorted())
        let whole = TarMember("u/long", contents: String(repeating: "x", count: 100_000)).bytes
        let end = Array(whole.dropFirst(50_000)) + [UInt8](repeating: 0, count: 1_024)
        try second.source.peer.sendData(end, stream: second.ask, last: true)
        let pasted = try second.paste.finish()
        #expect(pasted.text == "out/u\n", "\(pasted.errorText)")
        #expect(outNames() == ["u", "x.txt"])
        #expect(desk.directory.names(in: "out/u") == ["first", "long"])
    }

    // MARK: Untrusted archives

    @Test(
        "Whatever an archive contains, nothing is written or read outside its folder, and nothing is left",
        arguments: HostileArchive.allCases
    )
    func hostile(attempt: HostileArchive) throws {
        let outside = desk.directory.path
        _ = try desk.directory.makeDirectory("victim")
        try desk.directory.write("secret", to: "secret")
        try desk.copy("nothing")
        let source = try RawSource(at: desk, type: "public.folder")
        let paste = try desk.start("paste", "--into", "out")
        let ask = try source.askedForArchive()
        try source.peer.sendData(attempt.bytes(outside), stream: ask, last: true)
        let pasted = try paste.finish()
        #expect(pasted.exitCode != 0 || outNames().count == 1, "\(pasted.errorText)")
        #expect(pasted.exitCode == 0 || outNames().isEmpty && pasted.text.isEmpty)
        #expect(desk.directory.names(in: "victim").isEmpty)
        #expect(try desk.directory.contents(of: "secret") == Array("secret".utf8))
        #expect(try desk.shell("grep -r secret out").text.isEmpty)
    }

    @Test("Pipes and set-user-id bits in an archive are left out, and directories without permissions are unpacked")
    func specials() throws {
        try desk.copy("nothing")
        let source = try RawSource(at: desk, type: "public.folder")
        let paste = try desk.start("paste", "--into", "out")
        let ask = try source.askedForArchive()
        let members = [
            TarMember("f/", kind: "5", mode: 0o500), TarMember("f/s/", kind: "5", mode: 0o100),
            TarMember("f/s/pipe", kind: "6"), TarMember("f/x", contents: "1", mode: 0o6777),
        ]
        try source.peer.sendData(TarMember.archive(members), stream: ask, last: true)
        let pasted = try paste.finish()
        #expect(pasted.text == "out/f\n", "\(pasted.errorText)")
        let modes = try desk.shell("stat -c '%a %n %Y' out/f out/f/s out/f/x")
        #expect(modes.text == "500 out/f 0\n100 out/f/s 0\n755 out/f/x 0\n")
        #expect(try desk.shell("chmod 700 out/f out/f/s; ls -A out/f/s").text.isEmpty)
    }
}
