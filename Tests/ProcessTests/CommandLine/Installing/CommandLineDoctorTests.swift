import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard doctor`, and the errors that point to it.
@Suite(.processes) struct CommandLineDoctorTests {
    /// The findings that are bad, as lines of two columns; the exit code has to agree.
    private static func bad(_ desk: Desk, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        let doctor = try desk.run("doctor")
        #expect(doctor.errors.isEmpty, "\(doctor.errorText)", sourceLocation: sourceLocation)
        let lines = doctor.text.split(separator: "\n").drop { !$0.hasPrefix("BAD") }
        #expect(doctor.exitCode == (lines.isEmpty ? 0 : 1), sourceLocation: sourceLocation)
        return lines.prefix { !$0.hasPrefix("good") }.joined(separator: "\n")
    }

    @Test("All is well without a broker and with one, and none is started", arguments: Desk.Place.allCases)
    func well(place: Desk.Place) throws {
        let desk = try Desk(place)
        let before = desk.directory.names() + desk.directory.names(in: "s")
        #expect(try Self.bad(desk) == "")
        #expect(desk.directory.names() + desk.directory.names(in: "s") == before)
        try desk.copy("x")
        #expect(try Self.bad(desk) == "")
        let shown = try desk.run("doctor").text
        #expect(shown.contains("version \(ProgramVersion.current), protocol 1"))
        #expect(shown.contains("saved contents are files in "))
        let json = try desk.run("doctor", "--json").text
        #expect(json.hasPrefix(#"[{"check":"directory","state":"good","finding":"/"#) && json.hasSuffix("}]\n"))
        #expect(json.contains(#""advice":null"#) && json.split(separator: "\n").count == 1)
    }

    @Test(
        "What is wrong is found, with the way to fix it",
        arguments: [
            ("chmod 755 run/pasteboard", "directory", "chmod 700"),
            ("rm -r run/pasteboard; echo >run/pasteboard", "directory", "remove it"),
            ("echo >run/pasteboard/socket", "socket", "remove it"),
            ("echo 'idle-exit = 30' >.config/pasteboard/config", "limits", "write a time"),
            ("echo 'kept-on-disk = 1MiB' >.config/pasteboard/config; echo >s/pasteboard", "disk", "kept-on-disk=0"),
        ]
    )
    func faults(script: String, check: String, advice: String) throws {
        let desk = try Desk()
        try desk.succeed("mkdir -m 700 run/pasteboard; \(script)")
        let bad = try Self.bad(desk)
        #expect(bad.hasPrefix("BAD   \(check) ") && bad.contains("to fix it: ") && bad.contains(advice), "\(bad)")
    }

    @Test("Variables that lead nowhere are found")
    func variables() throws {
        let desk = try Desk(.socket)
        desk.environment["PASTEBOARD_SOCKET"] = desk.directory["no/such/socket"]
        #expect(try Self.bad(desk).hasPrefix("BAD   directory"))
        desk.environment["PASTEBOARD_SOCKET"] = "relative"
        #expect(try Self.bad(desk).contains("PASTEBOARD_SOCKET is 'relative'"))
        desk.environment["PASTEBOARD_SOCKET"] = desk.directory["socket"]
        desk.environment["PASTEBOARD_LIMITS"] = "boards"
        #expect(try Self.bad(desk).contains("PASTEBOARD_LIMITS: invalid limit 'boards'"))
        desk.environment["PASTEBOARD_LIMITS"] = nil
        desk.environment["PATH"] = desk.directory.path
        #expect(try Self.bad(desk).contains("GNU tar, which is needed for folders, is not in PATH"))
        // A program that runs nothing, by the name of one that contains many.
        try desk.succeed("PATH=/usr/bin:/bin; cp /bin/true busybox; ln -s busybox tar")
        #expect(try Self.bad(desk).contains("tar is busybox, and folders need GNU tar"))
        desk.environment["PATH"] = "/usr/bin:/bin"
        desk.environment["PASTEBOARD_AUTOSTART"] = "0"
        #expect(try Self.bad(desk).contains("start one: pasteboard broker"))
    }

    /// The obstacles of a broker: a script that makes one, the name of the check, and a part of the finding.
    private static let obstacles = [
        ("PASTEBOARD_SOCKET=/no/such/socket", "directory", "the directory /no for the socket"),
        ("PASTEBOARD_SOCKET=/proc/x/socket", "directory", " in /proc"),
        ("echo >file; PASTEBOARD_SOCKET=$PWD/file", "socket", "file is not a socket"),
        ("PASTEBOARD_BROKER=/bin/false", "broker", "is not version"),
        ("PASTEBOARD_BROKER=/no/such", "broker", "PASTEBOARD_BROKER is '/no/such'"),
        ("ulimit -n 9", "limits", "may open 9 files"),
    ]

    @Test("It finds what keeps the next command from working, and leaves nothing", arguments: obstacles)
    func findsObstacles(setting: String, check: String, finding: String) throws {
        let desk = try Desk()
        let script = "\(setting); export PASTEBOARD_SOCKET PASTEBOARD_BROKER; pasteboard"
        let before = desk.directory.names() + desk.directory.names(in: "run")
        let doctor = try desk.shell("\(script) doctor")
        let bad = doctor.text.split(separator: "\n").filter { $0.hasPrefix("BAD") }
        #expect(doctor.exitCode == 1 && bad.count == 1, "\(doctor.text)")
        #expect(bad.first?.hasPrefix("BAD   \(check) ") == true && bad.first?.contains(finding) == true, "\(bad)")
        let after = desk.directory.names() + desk.directory.names(in: "run")
        #expect(Set(after).subtracting(before).isSubset(of: ["file"]))
        #expect(try desk.shell("\(script) copy -e x").exitCode == 3)
    }

    @Test(
        "It finds a directory in which nothing can be made, and a full disk, and a failed start has its reason",
        .enabled(if: canMount, "needs root, which alone can mount"),
        arguments: ["mount -o remount,ro disk", "head -c 1M /dev/zero >disk/fill"]
    )
    func disk(fault: String) throws {
        let desk = try Desk(.stateDirectory)
        desk.environment["PASTEBOARD_SOCKET"] = nil
        let script = """
            mkdir disk; mount -t tmpfs -o size=64k,mode=700 none disk; \(fault) 2>/dev/null
            XDG_STATE_HOME=$PWD/disk XDG_RUNTIME_DIR=; export XDG_STATE_HOME XDG_RUNTIME_DIR
            pasteboard doctor; pasteboard copy -e x; echo $?
            """
        try desk.directory.write(script, to: "script")
        let run = try desk.shell("unshare -m sh ./script")
        #expect(run.text.contains("BAD   directory  make files in \(desk.directory["disk"]): "), "\(run.text)")
        #expect(run.text.hasSuffix("3\n"))
        #expect(run.errorText.contains(fault.hasPrefix("mount") ? "Read-only file system" : "No space left"))
    }

    /// Whether this process can make a mount namespace, and whether there is no runtime directory that would be used.
    private static var canMount: Bool {
        let unshare = try? ProcessRunner(
            "/usr/bin/env",
            ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"],
            environment: [:]
        )
        return (try? unshare?.finish().exitCode) == 0
            && (try? System.status(at: "/run/user/\(System.userID)")) == .some(nil)
    }

    @Test("A stopped broker is found, with its process")
    func stopped() throws {
        let desk = try Desk()
        let broker = try desk.serve()
        let status = try desk.run("status", "--json").text
        let process = try #require(status.firstMatch(of: #/"process":(\d+)/#).flatMap { CInt($0.1) })
        try System.kill(process, SIGSTOP)
        let bad = try Self.bad(desk)
        try System.kill(process, SIGCONT)
        #expect(bad.hasPrefix("BAD   broker") && bad.contains("process \(broker.child.id) is stopped"), "\(bad)")
    }

    @Test("Errors that it explains point to it")
    func hints() throws {
        let desk = try Desk()
        try desk.succeed("mkdir -m 777 run/pasteboard")
        for command in ["copy", "paste", "status"] {
            #expect(try desk.run(command).errorText.hasSuffix("; see pasteboard doctor\n"))
        }
        try desk.succeed("chmod 700 run/pasteboard; echo nonsense >.config/pasteboard/config")
        #expect(try desk.run("copy").errorText.hasSuffix("; see pasteboard doctor\n"))
    }
}
