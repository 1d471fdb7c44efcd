import PasteboardTransport
import TestSupport
import Testing

/// Programs with and without terminals, and their own broker. Its timeouts are longer than any wait of a test.
final class TerminalDesk {
    let environment: [String: String]
    private let directory: TemporaryDirectory
    private let broker: ProcessRunner

    init() throws {
        // A write to a program that has ended must fail only the test. Child processes get the default action again.
        System.ignoreBrokenPipes()
        directory = try TemporaryDirectory()
        let socket = directory["d/socket"]
        _ = try directory.makeDirectory("d")
        environment = [
            "HOME": directory.path, "PATH": System.environment("PATH") ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
            "PASTEBOARD_SOCKET": socket, "PASTEBOARD_AUTOSTART": "0", "SWIFT_BACKTRACE": "enable=no", "TERM": "xterm",
        ]
        let limits = ["first-byte", "progress", "proposal", "drop-window", "conclude"].flatMap {
            ["--limit", "\($0)=10m"]
        }
        broker = try ProcessRunner(
            "/bin/sh",
            [
                "-c", "exec \"$0\" \"$@\" --ready-fd 4 4>&1", try ProcessRunner.program("pasteboardd"),
                "--socket", socket,
            ] + limits,
            environment: environment
        )
        // The byte that the broker writes once it listens.
        try broker.waitForOutput(containing: "r")
    }

    /// Starts `places` in a terminal and waits until it is ready.
    func places(
        columns: Int = 60,
        rows: Int = 20,
        _ arguments: String...,
        script: String? = nil
    ) throws -> TerminalProgram {
        let terminal = try TerminalProgram(
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

    /// Starts a program that plays a script until its input ends. Returns it with the write end of its input.
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
