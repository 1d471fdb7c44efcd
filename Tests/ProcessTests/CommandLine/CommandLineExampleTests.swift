import Glibc
import PasteboardTransport
import TestSupport
import Testing

@testable import pasteboard

/// The examples in the help and the manual pages. All of them run, with stand-ins for programs of others.
@Suite(.processes) struct CommandLineExampleTests {
    /// Commands that run until the broker is stopped, which ends them with 3.
    private static let standing = ["offer", "watch", "drop", "link", "desktop", "broker"]

    /// The files and programs that the examples mention. `ssh` and `docker` reach the broker of another desk.
    private static let files = """
        mkdir -p in photos bin .config/fish/completions
        echo report > report.pdf; echo photo > photo.png; cp photo.png photos
        echo notes > notes.txt; echo '<p>notes' > notes.html
        for name in pass make notify-send systemctl; do printf '#!/bin/sh\necho done\n' > bin/$name; done
        printf '#!/bin/sh\nexec cat >/dev/null\n' > bin/man
        cat > bin/ssh <<'END'
        #!/bin/sh
        while :; do case $1 in -o) shift 2 ;; -*) shift ;; *) break ;; esac; done
        shift; exec env $FAR sh -c "$*"
        END
        cat > bin/docker <<'END'
        #!/bin/sh
        shift 3; exec env $FAR "$@"
        END
        chmod +x bin/*
        """

    private let desk: Desk
    private let far: Desk

    init() throws {
        (desk, far) = (try Desk(), try Desk())
        let programs = System.directory(of: try System.programPath())
        desk.environment["PATH"] = "\(desk.directory["bin"]):\(programs):\(desk.environment["PATH"] ?? "")"
        let variables = ["HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"].map { "\($0)=\(far.environment[$0] ?? "")" }
        desk.environment["FAR"] = variables.joined(separator: " ")
        desk.environment["PASTEBOARD_LABEL"] = "example"
    }

    private func start(_ line: String) throws -> ProcessRunner {
        try ProcessRunner(
            "/bin/bash",
            ["-c", line],
            environment: desk.environment,
            directory: desk.directory.path
        )
    }

    /// Waits until a command has begun what it does until its end.
    private func begun(_ command: String, _ runner: ProcessRunner) throws {
        switch command {
        case "offer": try runner.waitForErrors(containing: "offering ")
        case "link": try runner.waitForErrors(containing: "linked with ")
        case "desktop": try runner.waitForErrors(containing: "connected to ")
        default:
            let signs = ["watch": "watches *1\n", "drop": "(inbox|pictures) *example", "broker": "counters"]
            let sign = try Regex(signs[command] ?? "")
            try eventually("\(command) has begun") { try desk.run("status").text.contains(sign) }
        }
    }

    @Test(
        "Every example of a command runs",
        arguments: CommandLineTool.commands.map { $0.syntax.name }.filter { $0 != "desktop" } + [""]
    )
    func runs(command: String) throws { try run(command) }

    @Test("Every example of desktop runs", .enabled(if: InstalledPrograms.contains("Xvfb"), "needs Xvfb"))
    func desktop() throws {
        // The display has a number of its own, because servers that look for a free one disturb each other.
        let display = 5_000 + getpid() % 4_000
        let server = try start("exec Xvfb :\(display) -displayfd 1 -noreset -screen 0 64x48x24 -nolisten tcp")
        desk.environment["DISPLAY"] = ":\(try server.nextLine())"
        try run("desktop")
        try server.child.kill(SIGTERM)
        _ = try server.finish()
    }

    private func run(_ command: String) throws {
        let syntax = CommandLineTool.commands.map { $0.syntax }.first { $0.name == command }
        let examples = (syntax?.examples ?? CommandLineTool.examples).split(separator: "\n").map(String.init)
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(example.contains("pasteboard"), "\(example)")
            let contents = "pasteboard copy -b notes -e x; pasteboard copy -t text=notes.txt -t png=photo.png"
            let clear = "; pasteboard clear -b notes; pasteboard clear"
            try desk.succeed("\(Self.files)\n\(contents)\(command == "stop" ? clear : "")")
            if command == "uninstall" { try desk.run("install") }
            let inbox = command == "drag" ? try desk.start("drop", "--as", "inbox", "--into", "in") : nil
            if inbox != nil { try eventually("inbox") { try desk.run("drop", "--list").text.contains("inbox") } }
            let ends = ["--background", "--list"].contains { example.contains($0) }
            guard Self.standing.contains(command), !ends else {
                let finished = try start(example).finish()
                #expect(finished.exitCode == 0, "\(example): \(finished.errorText)")
                try inbox?.child.kill(SIGTERM)
                _ = try inbox?.finish()
                continue
            }
            if command == "broker" { try desk.run("stop") }
            let runner = try start(example)
            try begun(command, runner)
            try desk.run("stop")
            #expect(try runner.finish().exitCode == (command == "broker" ? 0 : 3), "\(example)")
        }
    }
}
