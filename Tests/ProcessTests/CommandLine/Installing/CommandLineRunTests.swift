import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// `pasteboard run`.
@Suite(.processes) struct CommandLineRunTests {
    /// A desk whose directories for temporary files are in `t`.
    private static func desk(limits: String = "") throws -> Desk {
        let desk = try Desk(limits: limits)
        desk.environment["TMPDIR"] = try desk.directory.makeDirectory("t")
        let programs = System.directory(of: try System.programPath())
        desk.environment["PATH"] = "\(programs):\(desk.environment["PATH"] ?? "")"
        return desk
    }

    @Test("The command has pasteboards of its own, in a private directory, and nothing is left of them")
    func own() throws {
        let desk = try Self.desk()
        try desk.copy("outer")
        let script = """
            pasteboard paste -q; echo inner | pasteboard copy; pasteboard paste
            stat -c %a "${PASTEBOARD_SOCKET%/socket}"; ls t | wc -l; cat
            """
        let input = DescriptorBox(try System.open(try desk.directory.write("the input\n", to: "input")))
        let run = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            ["run", "--", "sh", "-c", script],
            environment: desk.environment,
            directory: desk.directory.path,
            input: input.raw
        ).finish()
        #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run.errorText)")
        #expect(run.text == "inner\n700\n1\nthe input\n")
        #expect(try desk.run("paste").text == "outer")
        #expect(desk.directory.names(in: "t").isEmpty)
    }

    @Test(
        "The exit code is that of the command, or as in a shell if it has none",
        arguments: [
            ("true", 0), ("sh -c 'exit 41'", 41), ("sh -c 'kill -TERM $$'", 143), ("sh -c 'kill -9 $$'", 137),
            ("no-such-program", 127), ("./no-such-program", 127), ("./file", 126), ("''", 127),
            ("sh -c 'pasteboard stop; exit 3'", 3), ("sh -c 'pasteboard stop; echo x | pasteboard copy; exit 4'", 4),
        ] as [(String, CInt)]
    )
    func exitCodes(command: String, code: CInt) throws {
        let desk = try Self.desk()
        try desk.directory.write("no program\n", to: "file")
        let run = try desk.shell("pasteboard run -- \(command)")
        #expect(run.exitCode == code, "\(run.errorText)")
        #expect((code == 126 || code == 127) == run.errorText.hasPrefix("pasteboard: run: cannot run "))
        #expect(desk.directory.names(in: "t").isEmpty)
        #expect(try desk.run("status").exitCode == 3, "a broker of the user runs")
    }

    @Test("A signal that is sent to it is passed on, and the end of the command ends it")
    func signals() throws {
        let desk = try Self.desk()
        let script = #"""
            trap 'echo usr1' USR1; trap 'echo term; exit 9' TERM; echo ready; while :; do sleep 0.01; done
            """#
        let run = try desk.start("run", "--", "sh", "-c", script)
        #expect(try run.nextLine() == "ready")
        try run.child.kill(SIGUSR1)
        #expect(try run.nextLine() == "usr1")
        try run.child.kill(SIGTERM)
        let finished = try run.finish()
        #expect(finished.exitCode == 9 && finished.text == "ready\nusr1\nterm\n")
        #expect(desk.directory.names(in: "t").isEmpty)
    }

    @Test("Signals that it ignores, the command ignores, too")
    func ignoredSignals() throws {
        let desk = try Self.desk()
        let run = try desk.shell("trap '' HUP; pasteboard run -- sh -c 'kill -HUP $$; echo lives'")
        #expect(run.exitCode == 0 && run.text == "lives\n")
    }

    @Test("If it is killed, the command goes on, and the broker is there until nobody needs it")
    func killed() throws {
        let desk = try Self.desk()
        let script = """
            echo $PASTEBOARD_SOCKET; echo kept | pasteboard copy; echo ready; read line < fifo; pasteboard paste
            """
        try #require(mkfifo(desk.directory["fifo"], 0o600) == 0)
        let run = try desk.start("run", "--limit", "idle-exit=10m", "--", "sh", "-c", script)
        _ = try run.nextLine()
        #expect(try run.nextLine() == "ready")
        try run.child.kill(SIGKILL)
        try desk.succeed("echo >fifo")
        #expect(try run.nextLine() == "kept")
        _ = try run.finish()
        #expect(desk.directory.names(in: "t").count == 1)
        try desk.succeed(
            "PASTEBOARD_SOCKET=$(echo t/*)/socket; PASTEBOARD_SOCKET=$PWD/$PASTEBOARD_SOCKET pasteboard stop"
        )
        try expectEnd(of: desk)
    }

    @Test("A broker whose starter was killed ends by itself")
    func idle() throws {
        let desk = try Self.desk()
        let run = try desk.start("run", "--limit", "idle-exit=2s", "--", "sh", "-c", "echo ready; exec sleep 600")
        #expect(try run.nextLine() == "ready")
        try run.child.killGroup(SIGKILL)
        _ = try run.finish()
        try expectEnd(of: desk)
    }

    /// Waits until the brokers of the desk have ended.
    private func expectEnd(of desk: Desk) throws {
        try eventually("the broker has removed its socket and its lock") {
            desk.directory.names(in: "t").allSatisfy { desk.directory.names(in: "t/\($0)").isEmpty }
        }
    }

    @Test("A broker that the command has stopped is killed")
    func stoppedBroker() throws {
        let desk = try Self.desk()
        let script = """
            pasteboard copy -e x
            broker=$(pasteboard version | sed -n 's/.*process //p'); kill -STOP $broker; echo $broker
            """
        let run = try desk.run("run", "--", "sh", "-c", script)
        let broker = run.text.split(separator: "\n").first.map(String.init) ?? ""
        #expect(run.exitCode == 0 && CInt(broker) != nil)
        try eventually("the broker ends") {
            (try? System.contents(of: "/proc/\(broker)/cmdline"))?.isEmpty ?? true
        }
        #expect(desk.directory.names(in: "t").isEmpty)
    }

    @Test("While it runs, its broker does not end for lack of connections, also after a crash")
    func connected() throws {
        let desk = try Self.desk()
        let script = """
            echo kept | pasteboard copy
            while pasteboard status --json >status; do
                [ "$(grep -o '"label":"pasteboard"' status | wc -l)" -ge 2 ] && break
            done
            first=$(grep -o '"broker":{"version":"[^"]*","process":[0-9]*' status | grep -o '[0-9]*$')
            kill -9 $first
            while pasteboard status --json >status; do
                [ "$(grep -o '"label":"pasteboard"' status | wc -l)" -ge 2 ] && break
            done
            pasteboard paste
            """
        let run = try desk.start("run", "--limit", "idle-exit=5s", "--", "sh", "-c", script)
        let finished = try run.finish()
        #expect(finished.exitCode == 0 && finished.text == "kept\n", "\(finished.errorText)")
    }

    @Test("The directory of a broker that was killed with its starter is removed by a later run")
    func abandoned() throws {
        let desk = try Self.desk()
        let old = "t/pasteboard-run-0123456789ab"
        for directory in [old, "t/pasteboard-run-new", "t/other"] {
            _ = try desk.directory.makeDirectory(directory)
            for file in ["socket", "socket.lock", "socket.n"] {
                try desk.directory.write("", to: "\(directory)/\(file)")
            }
        }
        // The broker of the second may be starting, and the third is not one of a run.
        try desk.succeed("touch -d '2 minutes ago' \(old) t/other")
        #expect(try desk.run("run", "--", "true").exitCode == 0)
        #expect(desk.directory.names(in: "t") == ["other", "pasteboard-run-new"])
    }

    @Test("Limits come from the command line, then from the environment, then from the configuration file")
    func limits() throws {
        let desk = try Self.desk(limits: "boards = 3\nkept-pool = 3MiB\nobjects = 2000\nkept-on-disk = 1MiB\n")
        desk.environment["PASTEBOARD_LIMITS"] = " kept-pool=2MiB\tobjects=1000  "
        let script = "pasteboard limits --json | grep -o '\"name\":\"[a-z-]*\",\"value\":[0-9]*'"
        let shown = try desk.run("run", "--limit", "objects = 900", "--", "sh", "-c", script).text
        for (name, value) in [
            ("boards", 3), ("kept-pool", 2 << 20), ("objects", 900), ("idle-exit", 30_000), ("kept-on-disk", 0),
        ] {
            #expect(shown.contains("\"name\":\"\(name)\",\"value\":\(value)\n"), "\(name)")
        }
        desk.environment["PASTEBOARD_LIMITS"] = "nonsense=1"
        let refused = try desk.run("run", "--", "true")
        #expect(refused.exitCode == 2 && refused.errorText.contains("PASTEBOARD_LIMITS: unknown limit 'nonsense'"))
    }

    @Test("The command has the terminal, whose keys reach it once")
    func terminal() throws {
        let desk = try Self.desk()
        let terminal = try PseudoTerminal()
        // A session whose terminal this is.
        let program = try ProcessRunner.program("pasteboard")
        let starter = """
            import fcntl, os, sys, termios
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let script = #"""
            trap 'count=$((count+1)); echo int$count' INT
            test -t 0 && echo ready >/dev/tty; while read line; do echo "line $line"; [ "$line" = end ] && exit 5; done
            """#
        var configuration = ChildProcess.Configuration(
            path: "/usr/bin/env",
            arguments: ["python3", "-c", starter, program, "run", "--", "bash", "-c", script],
            environment: Sanitizer.environment(with: desk.environment)
        )
        configuration.input = .descriptor(terminal.other)
        configuration.output = .descriptor(terminal.other)
        configuration.errors = .descriptor(terminal.other)
        let child = try ChildProcess(configuration)
        var shown = ""
        func wait(for text: String) throws {
            try eventually(text) {
                shown += try terminal.shown()
                return shown.contains(text)
            }
        }
        try wait(for: "ready")
        try terminal.type("\u{03}")
        // The shell runs the trap at once if it waits for the line already, and otherwise after the line.
        try terminal.type("first\n")
        try wait(for: "line first")
        try terminal.type("end\n")
        #expect(try child.wait() == .exited(5))
        shown += try terminal.shown()
        #expect(shown.contains("int1") && shown.contains("line end") && !shown.contains("int2"), "\(shown)")
    }
}
