import PasteboardTransport
import TestSupport
import Testing

/// Programs in terminals and without, and a broker of their own whose deadlines end no wait of a test.
final class TerminalDesk {
    let environment: [String: String]
    private let directory: TemporaryDirectory
    private var broker: ProcessRunner?

    init() throws {
        // Writing to a program that has ended has to fail the test alone. What is started gets the default again.
        System.ignoreBrokenPipes()
        directory = try TemporaryDirectory()
        let socket = directory["d/socket"]
        _ = try directory.makeDirectory("d")
        environment = [
            "HOME": directory.path, "PATH": System.environment("PATH") ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
            "PASTEBOARD_SOCKET": socket, "SWIFT_BACKTRACE": "enable=no", "TERM": "xterm",
        ]
        try startBroker()
    }

    func endBroker() {
        broker = nil
    }

    /// Again, where the last one has ended.
    func startBroker() throws {
        let limits = ["first-byte", "progress", "proposal", "drop-window", "conclude"].flatMap {
            ["--limit", "\($0)=10m"]
        }
        let broker = try ProcessRunner(
            "/bin/sh",
            [
                "-c", "exec \"$0\" \"$@\" --ready-fd 4 4>&1", try ProcessRunner.program("pasteboardd"), "--socket",
                directory["d/socket"],
            ]
                + limits,
            environment: environment
        )
        // The byte that it writes once it listens.
        try broker.waitForOutput(containing: "r")
        self.broker = broker
    }

    /// `places` in a terminal, ready to be used.
    func places(
        columns: Int = 60,
        rows: Int = 20,
        _ arguments: String...,
        script: String? = nil
    ) throws -> PseudoTerminal {
        let terminal = try PseudoTerminal(
            columns: columns,
            rows: rows,
            "places",
            ["--interactive"] + arguments,
            script: script ?? "exec \"$0\" \"$@\"",
            environment: environment
        )
        try terminal.wait(for: "others can drop")
        return terminal
    }

    /// A program that plays a script until its input ends, and that end.
    func play(_ program: String, _ script: String) throws -> (ProcessRunner, DescriptorBox) {
        let pipe = try System.pipe()
        let runner = try ProcessRunner(
            try ProcessRunner.program(program),
            environment: environment,
            input: pipe.first.raw
        )
        try System.write(Array(script.utf8).span, to: pipe.second.raw)
        return (runner, DescriptorBox(pipe.keepingSecond()))
    }
}
