import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// A broker that takes the place of another one, as after an upgrade.
@Suite(.processes) struct TakeoverTests {
    private let desk: Desk

    init() throws {
        desk = try Desk()
    }

    private func brokerProcess() throws -> CInt {
        let status = try desk.run("status", "--json").text
        return try #require(status.firstMatch(of: /"process":([0-9]+)/).flatMap { CInt($0.1) })
    }

    /// Starts a script that uses this package's `pasteboard`.
    private func start(_ script: String) throws -> ProcessRunner {
        let programs = System.directory(of: try System.programPath())
        return try ProcessRunner(
            "/bin/sh",
            ["-c", script],
            environment: desk.environment.merging(["PATH": "\(programs):\(desk.environment["PATH"] ?? "")"]) { $1 },
            directory: desk.directory.path
        )
    }

    @Test(
        "Takeovers lose no contents and refuse no command, a running load finishes, and what stands goes on",
        .tags(.f90)
    )
    func replaced() throws {
        try desk.directory.write(Desk.bytes(200_000), to: "large")
        var brokers = [try desk.serve()]
        try desk.succeed("pasteboard copy -t data=large; pasteboard copy -e kept -b small")
        // Its bytes end only after the last takeover.
        let offer = try desk.offer(
            ["-t", "public.data=printf begin; until [ -e done ]; do sleep 0.05; done; printf end"],
            board: "slow"
        )
        let slow = try desk.start("paste", "--board", "slow", "--timeout", "10m")
        try slow.waitForOutput(containing: "begin")
        let watch = try desk.start("watch", "-b", "watched")
        try eventually("a watch") { try desk.run("status", "--json").text.contains(#""watches":1"#) }
        let loop = try start(
            """
            until [ -e done ]; do
                n=$((n+1)); pasteboard copy -e $n -b loop && [ "$(pasteboard paste -b loop)" = $n ] || exit 1
                pasteboard copy -t data=large -b other && pasteboard paste -t data -b other | cmp - large || exit 2
                pasteboard paste -t data | cmp - large || exit 3
            done
            """
        )
        for number in 1...10 {
            brokers.append(try desk.serve("--replace --limit boards=\(100 + number)"))
            #expect(try brokerProcess() == brokers[number].child.id)
        }
        try desk.directory.write("", to: "done")
        let looped = try loop.finish()
        #expect(looped.exitCode == 0, "\(looped.errorText)")
        #expect(try slow.finish().text == "beginend")
        #expect(try desk.run("limits").text.contains(/boards +110/))
        #expect(try desk.succeed("pasteboard paste -b slow; pasteboard paste -b small") == "beginendkept")
        try desk.succeed("pasteboard copy -e seen -b watched")
        try watch.waitForOutput(containing: "watched")
        try ProcessRunner.end(offer, watch)
        try desk.expectNoUnnamedFiles()
        #expect(try desk.run("stop").exitCode == 0)
        for broker in brokers { #expect(try broker.finish().exitCode == 0) }
    }

    @Test(
        "A program that cannot serve leaves the running broker in its place",
        arguments: [
            (2, "unknown limit 'nonsense'", "pasteboard broker --replace --limit nonsense=1"),
            (2, "line 1: ", "echo nonsense >.config/pasteboard/config; pasteboard broker --replace"),
            (3, "Too many open files", "ulimit -n 5; pasteboard broker --replace"),
            (
                2, "the service manager has the socket",
                "export LISTEN_PID=$$ LISTEN_FDS=1; exec pasteboard broker --replace 3</dev/null"
            ),
        ] as [(CInt, String, String)]
    )
    func unable(exitCode: CInt, text: String, script: String) throws {
        let broker = try desk.serve()
        try desk.copy("one")
        let refused = try desk.shell(script)
        #expect(refused.exitCode == exitCode && refused.errorText.contains(text), "\(refused.errorText)")
        #expect(try brokerProcess() == broker.child.id)
        #expect(try desk.run("paste").text == "one")
    }

    @Test("Without a running broker, --replace starts one, with what was kept")
    func nobody() throws {
        try desk.copy("one")
        try desk.run("stop")
        let broker = try desk.serve("--replace")
        #expect(try desk.run("paste").text == "one")
        #expect(try desk.run("stop").exitCode == 0)
        #expect(try broker.finish().exitCode == 0)
    }
}
