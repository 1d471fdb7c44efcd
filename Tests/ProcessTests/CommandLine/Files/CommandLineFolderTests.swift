import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Archives of directories from sources that the test plays.
@Suite(.processes) struct CommandLineFolderTests {
    private let desk: Desk

    init() throws {
        desk = try Desk()
        _ = try desk.directory.makeDirectory("out")
    }

    private func outNames() -> [String] { desk.directory.names(in: "out") }

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
