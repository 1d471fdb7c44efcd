import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// Symbolic links that another program has placed where `pasteboard` is about to write.
@Suite(.processes) struct PlantedLinkTests {
    private let desk: Desk
    private var directory: TemporaryDirectory { desk.directory }

    init() throws {
        desk = try Desk()
        _ = try desk.directory.makeDirectory("in")
        _ = try desk.directory.makeDirectory("out")
        try desk.directory.write("old", to: "out/old")
    }

    private func link(_ target: String, _ name: String) throws {
        try #require(symlink(target, directory[name]) == 0)
    }

    @Test("--into writes through no link, and into no other directory, whatever an item is called")
    func into() throws {
        let names = ["a", "b", "../out/c", "/etc/c", "..", "out/../../c"]
        for (name, target) in [("a", "../out/new"), ("b", "../out/old"), (".._out_c", "../out/new")] {
            try link(target, "in/\(name).txt")
        }
        for name in names {
            try desk.copy("new", "--name", name)
            let paste = try desk.run("paste", "--into", "in")
            #expect(paste.exitCode == 0, "\(paste.errorText)")
        }
        #expect(directory.names(in: "out") == ["old"])
        #expect(try directory.contents(of: "out/old") == Array("old".utf8))
        let files = directory.names(in: "in").filter {
            (try? System.status(at: directory["in/\($0)"]))??.kind == .regular
        }
        #expect(files.count == names.count, "\(files)")
        for file in files { #expect(try directory.contents(of: "in/\(file)") == Array("new".utf8)) }
    }

    @Test(
        "-o follows no link of another user in a directory like /tmp",
        .enabled(if: geteuid() == 0, "needs root, which alone can create such a link")
    )
    func foreignLink() throws {
        _ = try directory.makeDirectory("tmp")
        try #require(chmod(directory["tmp"], 0o1777) == 0)
        for (name, target) in [("file", "../out/old"), ("new", "../out/new"), ("null", "/dev/null")] {
            try link(target, "tmp/\(name)")
            try #require(lchown(directory["tmp/\(name)"], 65534, 65534) == 0)
        }
        try desk.copy("new")
        for name in ["file", "new", "null"] {
            let paste = try desk.run("paste", "-o", "tmp/\(name)")
            #expect(paste.exitCode == 4, "\(name)")
            let reason = "is a symbolic link that user 65534 has placed in tmp; use another name"
            #expect(paste.errorText.contains(reason), "\(paste.errorText)")
        }
        #expect(directory.names(in: "out") == ["old"])
        #expect(try directory.contents(of: "out/old") == Array("old".utf8))
        // In a directory that only this user may write to, every link was placed on purpose.
        try #require(chmod(directory["tmp"], 0o700) == 0)
        #expect(try desk.run("paste", "-o", "tmp/file").exitCode == 0)
        #expect(try directory.contents(of: "out/old") == Array("new".utf8))
    }
}
