import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// Contents that survive a restart of the machine.
@Suite(.processes) struct SnapshotProcessTests {
    private let desk: Desk
    private let large = Desk.bytes(3_000_000)

    init() throws {
        desk = try Desk(limits: "kept-on-disk = 16MiB\n")
        try desk.directory.write(large, to: "large")
    }

    private var files: [String] { desk.directory.names(in: "s/pasteboard") }

    @Test("Contents are on disk when a broker has ended, and only then", .tags(.f102), arguments: [true, false])
    func ended(hasKeeper: Bool) throws {
        func start() throws -> ProcessRunner {
            guard !hasKeeper else { return try desk.startKeeper() }
            let broker = try desk.start("broker", "--no-keeper")
            try eventually("a broker") { try desk.run("status").exitCode == 0 }
            return broker
        }
        for _ in 0..<2 {
            var broker = try start()
            try desk.succeed("pasteboard copy --board l large; echo one | pasteboard copy")
            try desk.succeed("echo no | pasteboard copy --board s --sensitive")
            #expect(files == [])
            try broker.child.kill(SIGTERM)
            #expect(try broker.finish().exitCode == 0)
            #expect(files == ["snapshot"])
            broker = try start()
            #expect(try desk.succeed("pasteboard paste; pasteboard paste --board l | cmp - large") == "one\n")
            #expect(try desk.shell("pasteboard paste --board s").exitCode == 1)
            try desk.succeed("pasteboard clear; pasteboard clear --board l")
            try broker.child.kill(SIGTERM)
            #expect(try broker.finish().exitCode == 0)
            #expect(files == [])
        }
    }

    @Test("Contents on disk are found without a broker, and stop says what is not there", .tags(.f102))
    func found() throws {
        try desk.succeed("echo one | pasteboard copy; echo no | pasteboard copy --board s --sensitive")
        let stopped = try desk.run("stop")
        #expect(stopped.exitCode == 0 && stopped.errorText == "pasteboard: stop: lost the contents of: s\n")
        #expect(try desk.run("status").exitCode == 3)
        for line in ["types", "info", "list", "paste"] {
            let text = try desk.succeed("pasteboard \(line) && pasteboard stop")
            #expect(!text.isEmpty, "\(line)")
        }
        try desk.succeed("pasteboard clear && pasteboard stop")
        #expect(try desk.run("paste").exitCode == 1)
        #expect(try desk.run("status").exitCode == 3)
    }

    @Test(
        "A disk without room is reported by stop, and after the end of both processes nothing comes back",
        .tags(.f63)
    )
    func lost() throws {
        try desk.succeed("echo one | pasteboard copy && mkdir s/pasteboard/snapshot.new")
        let stopped = try desk.run("stop")
        #expect(stopped.exitCode == 3 && stopped.errorText.contains("s/pasteboard/snapshot: "), "\(stopped.errorText)")
        #expect(stopped.errorText.contains("lost the contents of: general"))
        let keeper = try desk.startKeeper()
        try desk.succeed("echo two | pasteboard copy")
        let text = try desk.succeed("pasteboard status --json")
        let process = try #require(text.firstMatch(of: /"process":([0-9]+)/).flatMap { CInt($0.1) })
        try keeper.child.kill(SIGKILL)
        try System.kill(process, SIGKILL)
        // Both have its output.
        _ = try keeper.finish()
        let next = try desk.startKeeper()
        #expect(try desk.run("paste").exitCode == 1)
        try next.child.kill(SIGTERM)
        #expect(try next.finish().exitCode == 0)
    }
}
