import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// Kept contents, which are files in memory and outlive every process.
@Suite(.processes) struct KeptContentsTests {
    private let desk: Desk

    init() throws {
        desk = try Desk(limits: "kept-on-disk = 16MiB\n")
    }

    /// Whether this process can make a mount namespace.
    private static var canMount: Bool {
        let unshare = try? ProcessRunner(
            "/usr/bin/env",
            ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"],
            environment: [:]
        )
        return (try? unshare?.finish().exitCode) == 0
    }

    // MARK: Crashes

    /// Copies a file, and expects its bytes, under the same change count, from each of the next brokers.
    private func expectSurvival(of size: Int, copiedBy command: String) throws {
        try desk.directory.write(Desk.bytes(size), to: "in")
        #expect(try !desk.shell(command).errorText.contains("end with the broker"))
        let count = "pasteboard list --json | grep -o '\"changeCount\":[0-9]*'"
        let before = try desk.succeed(count)
        for _ in 0..<3 {
            try desk.killBroker()
            // Nobody starts it again.
            try eventually("the end of the broker") { try desk.run("status").exitCode == 3 }
            try desk.succeed("pasteboard paste -t data | cmp - in")
            #expect(try desk.succeed(count) == before)
        }
    }

    @Test(
        "After the broker was killed, the next paste starts one, which has what was copied",
        .tags(.f86),
        arguments: [
            (0, "pasteboard copy -t data=in"), (1_000, "pasteboard copy -t data=in"),
            (3_000_000, "pasteboard copy -t data=in"), (3_000_000, "cat in | pasteboard copy -t data"),
        ]
    )
    func killed(size: Int, command: String) throws {
        try expectSurvival(of: size, copiedBy: command)
    }

    @Test(
        "What a client copies that cannot reach the kept directory, or has another one at its path, survives, too",
        .tags(.f86),
        .enabled(if: canMount, "needs root, which alone can mount"),
        arguments: [false, true]
    )
    func outOfReach(hasAnother: Bool) throws {
        let directory = try desk.keptDirectory()
        let parent = System.directory(of: directory)
        let make = hasAnother ? "mkdir \(directory)" : ":"
        let script = "mount -t tmpfs none \(parent); \(make); exec pasteboard copy -t data=in"
        try expectSurvival(of: 3_000_000, copiedBy: "unshare -m sh -c '\(script)'")
        try desk.succeed("unshare -m sh -c 'mount -t tmpfs none \(parent); pasteboard paste -t data' | cmp - in")
    }

    @Test("Secrets and contents for a number of pastes leave no byte in a file, and do not come back")
    func secrets() throws {
        let directory = try desk.keptDirectory()
        try desk.succeed("yes sesame | head -c 500000 >large; echo sesame >small")
        func isFound() throws -> Bool { try desk.shell("grep -rq sesame \(directory)").exitCode == 0 }
        for file in ["small", "large"] {
            try desk.succeed("pasteboard copy -t data=\(file)")
            #expect(try isFound())
            try desk.succeed("pasteboard clear")
            #expect(try !isFound())
            try desk.succeed("pasteboard copy -t data=\(file) --sensitive -b a")
            try desk.succeed("pasteboard copy -t data=\(file) --loads 3 -b b")
            #expect(try !isFound())
            try desk.killBroker()
            for board in ["a", "b"] { #expect(try desk.run("paste", "-b", board).exitCode == 1) }
        }
    }

    @Test("What was cleared or replaced does not come back, and no file is left that nothing names")
    func replaced() throws {
        try desk.directory.write(Desk.bytes(200_000), to: "in")
        let directory = try desk.keptDirectory()
        try desk.succeed(
            """
            pasteboard copy -t data=in -b cleared; pasteboard clear -b cleared
            pasteboard copy -t data=in -b small; pasteboard copy -e new -b small
            pasteboard copy -t data=in; pasteboard copy -t data=in
            touch \(directory)/r-0 \(directory)/new \(directory)/d-1
            """
        )
        try desk.killBroker()
        #expect(try desk.succeed("pasteboard paste -t data | cmp - in; pasteboard paste -b small") == "new")
        #expect(try desk.run("paste", "-b", "cleared").exitCode == 1)
        let files = try desk.keptFiles()
        #expect(files.filter { $0.hasPrefix("b-") } == ["b-67656e6572616c", "b-736d616c6c"])
        #expect(files.count == 3, "\(files)")
        try desk.expectNoUnnamedFiles()
    }

    @Test("A broker whose directory is another's serves, and says that contents end with it")
    func hostile() throws {
        let directory = try desk.keptDirectory()
        var scripts = ["echo >\(directory)", "ln -s $PWD \(directory)"]
        if System.userID == 0 { scripts.append("mkdir \(directory); chown 1 \(directory)") }
        for script in scripts {
            try desk.run("stop")
            try desk.succeed("rm -rf \(directory); \(script)")
            let copied = try desk.shell("echo one | pasteboard copy; pasteboard paste")
            #expect(copied.text == "one\n")
            #expect(copied.errorText.contains("these contents end with the broker"), "\(script): \(copied.errorText)")
            #expect(try desk.run("doctor").text.contains("BAD   kept "))
        }
        try desk.run("stop")
        try desk.succeed("rm -rf \(directory)")
    }

    // MARK: Ends in order

    @Test("A stop keeps contents, and names those that are lost")
    func stopped() throws {
        try desk.succeed("echo one | pasteboard copy; echo no | pasteboard copy --board s --sensitive")
        let stopped = try desk.run("stop")
        #expect(stopped.exitCode == 0 && stopped.errorText == "pasteboard: stop: lost the contents of: s\n")
        #expect(try desk.run("status").exitCode == 3)
        for line in ["types", "info", "list", "paste"] {
            #expect(try !desk.succeed("pasteboard \(line) && pasteboard stop").isEmpty, "\(line)")
        }
        try desk.succeed("pasteboard clear && pasteboard stop")
        #expect(try desk.run("paste").exitCode == 1)
        #expect(try desk.run("status").exitCode == 3)
    }

    @Test("After a stop, contents are on the disk, and survive the end of the directory once", .tags(.f102))
    func disk() throws {
        try desk.directory.write(Desk.bytes(3_000_000), to: "large")
        let directory = try desk.keptDirectory()
        let name = try #require(directory.split(separator: "/").last)
        var files: [String] { desk.directory.names(in: "s/pasteboard/kept/\(name)") }
        for _ in 0..<2 {
            try desk.succeed("pasteboard copy --board l large; echo one | pasteboard copy")
            try desk.succeed(
                "echo no | pasteboard copy --board s --sensitive; echo t | pasteboard copy --transient -b t"
            )
            #expect(files == [])
            try desk.run("stop")
            #expect(files == ["copy"])
            try desk.succeed("rm -r \(directory)")
            #expect(try desk.succeed("pasteboard paste; pasteboard paste --board l | cmp - large") == "one\n")
            for board in ["s", "t"] { #expect(try desk.run("paste", "-b", board).exitCode == 1) }
            try desk.succeed("pasteboard clear; pasteboard clear --board l")
            try eventually("the end of the copy") { files == [] }
        }
    }

    @Test("A disk that takes nothing is reported by stop", .tags(.f63))
    func disobedientDisk() throws {
        let name = try #require(desk.keptDirectory().split(separator: "/").last)
        try desk.succeed("echo one | pasteboard copy; mkdir -p s/pasteboard/kept/\(name)/new/x")
        let stopped = try desk.run("stop")
        #expect(stopped.exitCode == 3 && stopped.errorText.contains("left on the disk: "), "\(stopped.errorText)")
        #expect(try desk.run("paste").text == "one\n")
    }

    // MARK: Starts

    @Test("A broker that a client starts takes back what that client has set for itself, as far as it may")
    func attributes() throws {
        let run = try desk.succeed(
            """
            (echo 500 >/proc/self/oom_score_adj; exec nice -n 5 taskset -c 0 pasteboard copy -e x)
            broker=$(pasteboard version | sed -n 's/.*process //p')
            for process in $broker self; do
                grep Cpus_allowed_list /proc/$process/status; cat /proc/$process/oom_score_adj
                sed 's/.*) //' /proc/$process/stat | cut -d ' ' -f 17
            done
            """
        )
        let lines = run.split(separator: "\n").map(String.init)
        try #require(lines.count == 6, "\(run)")
        #expect(lines[0] == lines[3] && lines[1] != "500")
        // An ordinary user may not.
        if System.userID == 0 { #expect(lines[2] == "0") }
    }

    @Test(
        "The socket's directory, which may be mounted into a container, stays the same while brokers end and start",
        arguments: ["run/pasteboard", "new"]
    )
    func directoryStays(path: String) throws {
        if path == "new" { desk.environment["PASTEBOARD_SOCKET"] = desk.directory["new/socket"] }
        try desk.copy("first")
        // As a mount does, the descriptor leads to this directory, even if another one has its name.
        let mounted = DescriptorBox(try System.open(desk.directory[path], .directory))
        #expect(try desk.run("stop").exitCode == 0)
        try desk.copy("second")
        #expect(try System.entries(of: mounted.raw).map(\.description).contains("socket"))
    }
}

extension Desk {
    /// The directory of what the broker keeps. Starts a broker.
    func keptDirectory() throws -> String {
        let shown = try succeed("pasteboard copy -e x; pasteboard clear; pasteboard doctor")
        return String(try #require(shown.firstMatch(of: /saved contents are files in ([^,]*),/)).1)
    }

    /// The names of the files with contents in the kept directory.
    func keptFiles() throws -> [String] {
        let shown = try run("doctor").text
        let path = String(try #require(shown.firstMatch(of: /saved contents are files in ([^,]*),/)).1)
        let directory = DescriptorBox(try System.open(path, .directory))
        let names = try System.entries(of: directory.raw).map(\.description)
        return names.filter { !["lock", "socket", "unread", "current"].contains($0) }.sorted()
    }

    /// Expects that the file of a board names each large file.
    func expectNoUnnamedFiles() throws {
        let shown = try run("doctor").text
        let path = String(try #require(shown.firstMatch(of: /saved contents are files in ([^,]*),/)).1)
        try succeed("cd \(path); for file in r-*; do [ ! -e $file ] || grep -q $file b-* || exit 1; done")
    }
}
