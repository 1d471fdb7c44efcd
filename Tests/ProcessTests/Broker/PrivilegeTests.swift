import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// The privileges of a running broker.
@Suite(.processes) struct BrokerPrivilegeTests {
    private static func text(_ path: String) throws -> String {
        String(decoding: try System.contents(of: path), as: UTF8.self)
    }

    /// The soft and the hard limit of a process for core dumps.
    private static func coreLimits(of process: CInt) throws -> [Substring] {
        let lines = try text("/proc/\(process)/limits").split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("Max core file size") })
        return Array(line.split(separator: " ").dropFirst(4).prefix(2))
    }

    @Test("A broker has a closed mask, no core dumps and no new privileges, whatever its starter has")
    func process() throws {
        let broker = try BrokerProcess(at: try BrokerPlace(), after: "umask 0; ulimit -c unlimited")
        let process = broker.runner.child.id
        let status = try Self.text("/proc/\(process)/status")
        #expect(status.contains("\nUmask:\t0077\n"), "\(status)")
        #expect(status.contains("\nNoNewPrivs:\t1\n"), "\(status)")
        #expect(try Self.coreLimits(of: process) == ["0", "0"])
        #expect(try System.status(at: broker.place.socket)?.mode == 0o600)
        try broker.expectService()
        try broker.end()
    }

    // For root, every process is dumpable.
    @Test(
        "The memory and the descriptors of a broker are closed to the user's other programs",
        .enabled(if: geteuid() != 0, "needs an ordinary user")
    )
    func memory() throws {
        try BrokerProcess.run { broker in
            for file in ["mem", "environ", "maps", "fd/0"] {
                let error = #expect(throws: SystemError.self) {
                    _ = try System.open("/proc/\(broker.runner.child.id)/\(file)")
                }
                #expect(error?.errno == EACCES, "\(file)")
            }
        }
    }

    @Test("A broker under a debugger says who can read all contents")
    func traced() throws {
        let desk = try Desk()
        // Starts a program as a debugger does, and passes on its signals and its status.
        let debugger = """
            import ctypes, os, sys
            libc = ctypes.CDLL(None)
            child = os.fork()
            if child == 0:
                libc.ptrace(0, 0, 0, 0)
                os.execv(sys.argv[1], sys.argv[1:])
            while True:
                _, status = os.waitpid(child, 0)
                if not os.WIFSTOPPED(status):
                    sys.exit(os.waitstatus_to_exitcode(status))
                signal = os.WSTOPSIG(status)
                libc.ptrace(7, child, 0, 0 if signal == 5 else signal)
            """
        try desk.directory.write(Array(debugger.utf8), to: "debugger.py")
        let python = System.environment("PASTEBOARD_TEST_PYTHON").flatMap { $0.isEmpty ? nil : $0 } ?? "python3"
        let program = try ProcessRunner.program("pasteboard")
        let broker = try ProcessRunner(
            "/bin/sh",
            ["-c", "exec \(python) debugger.py \(program) broker"],
            environment: desk.environment,
            directory: desk.directory.path
        )
        try broker.waitForErrors(containing: "process \(broker.child.id) traces this broker")
        try eventually("a broker") { try desk.run("status").exitCode == 0 }
        #expect(try desk.run("stop").exitCode == 0)
        #expect(try broker.finish().exitCode == 0)
    }

    @Test("A broker that a command starts inherits neither its mask nor its limit for core dumps")
    func started() throws {
        let desk = try Desk()
        let script = "umask 0; ulimit -c unlimited; echo x | pasteboard copy && pasteboard status --json"
        let copy = try desk.shell(script)
        #expect(copy.exitCode == 0, "\(copy.errorText)")
        let process = try #require(copy.text.firstMatch(of: /"process":([0-9]+)/).flatMap { CInt($0.1) })
        #expect(try Self.text("/proc/\(process)/status").contains("\nUmask:\t0077\n"))
        #expect(try Self.coreLimits(of: process) == ["0", "0"])
    }
}
