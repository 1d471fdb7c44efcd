import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// Contents that survive a restart of the machine.
@Suite(.processes) struct SpoolProcessTests {
    private let desk: Desk
    private let large = Desk.bytes(3_000_000)

    init() throws {
        desk = try Desk(limits: "kept-on-disk = 16MiB\n")
        try desk.directory.write(large, to: "large")
    }

    /// Whether a file of the spool contains the text.
    private func isOnDisk(_ text: String) throws -> Bool {
        let spool = "s/pasteboard/spool"
        return desk.directory.names(in: spool).contains { name in
            let path = desk.directory["\(spool)/\(name)"]
            guard !name.hasSuffix(".new"), let bytes = try? System.contents(of: path, limit: 4_096) else {
                return false
            }
            return String(decoding: bytes, as: UTF8.self).contains(text)
        }
    }

    @Test("Contents are on disk when a broker has ended")
    func ended() throws {
        for _ in 0..<2 {
            var keeper = try desk.startKeeper()
            try desk.succeed("pasteboard copy --board l large; echo one | pasteboard copy")
            try desk.succeed("echo no | pasteboard copy --board s --sensitive")
            try keeper.child.kill(SIGTERM)
            #expect(try keeper.finish().exitCode == 0)
            keeper = try desk.startKeeper()
            #expect(try desk.succeed("pasteboard paste; pasteboard paste --board l | cmp - large") == "one\n")
            #expect(try desk.shell("pasteboard paste --board s").exitCode == 1)
            try desk.succeed("pasteboard clear; pasteboard clear --board l")
            try keeper.child.kill(SIGTERM)
            #expect(try keeper.finish().exitCode == 0)
            #expect(desk.directory.names(in: "s/pasteboard/spool") == [])
        }
    }

    @Test("Contents on disk are found without a broker, and cleared", .tags(.f102))
    func found() throws {
        try desk.succeed("echo one | pasteboard copy; pasteboard stop")
        try eventually("a saved file") { try isOnDisk("one\n") }
        #expect(try desk.run("status").exitCode == 3)
        for line in ["types", "info", "list", "paste"] {
            let text = try desk.succeed("pasteboard \(line) && pasteboard stop")
            #expect(!text.isEmpty, "\(line)")
        }
        try desk.succeed("pasteboard clear && pasteboard stop")
        try eventually("the removal of the file") { desk.directory.names(in: "s/pasteboard/spool").isEmpty }
        #expect(try desk.run("paste").exitCode == 1)
        #expect(try desk.run("status").exitCode == 3)
    }

    @Test("Contents that are on disk survive the end of broker and keeper at any moment", .tags(.f102))
    func killed() throws {
        var keeper = try desk.startKeeper()
        try desk.succeed("echo one | pasteboard copy; pasteboard copy --board l large")
        for text in ["two", "three"] {
            try desk.succeed("echo \(text) | pasteboard copy")
            try eventually("two files, one with \(text)") {
                try isOnDisk("\(text)\n") && desk.directory.names(in: "s/pasteboard/spool").count == 2
            }
            let process = try #require(
                try desk.succeed("pasteboard status --json").firstMatch(of: /"process":([0-9]+)/).flatMap { CInt($0.1) }
            )
            try keeper.child.kill(SIGKILL)
            try System.kill(process, SIGKILL)
            // Both have its output.
            _ = try keeper.finish()
            keeper = try desk.startKeeper()
            #expect(try desk.succeed("pasteboard paste; pasteboard paste --board l | cmp - large") == "\(text)\n")
        }
        try keeper.child.kill(SIGTERM)
        #expect(try keeper.finish().exitCode == 0)
    }
}
