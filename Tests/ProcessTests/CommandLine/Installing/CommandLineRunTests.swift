import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// `pasteboard run` on a terminal.
@Suite(.processes) struct CommandLineRunTests {
    @Test("The command has the terminal, whose keys reach it once")
    func terminal() throws {
        let desk = try Desk()
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
