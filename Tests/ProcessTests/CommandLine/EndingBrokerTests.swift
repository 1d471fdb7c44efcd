import PasteboardClient
import PasteboardTransport
import TestSupport
import Testing

/// Commands and a broker that is ending: it accepts a connection and closes it without an answer.
@Suite(.processes) struct EndingBrokerTests {
    @Test(
        "Each command connects again, and reports a lost broker after the last attempt",
        arguments: [
            "types", "list", "clear", "paste", "status", "limits", "stop", "drop --list", "copy file",
        ]
    )
    func reconnects(_ line: String) throws {
        let desk = try Desk(.socket)
        desk.environment["PASTEBOARD_AUTOSTART"] = "0"
        try desk.directory.write("text", to: "file")
        var listener = try ListeningSocket(path: desk.directory["socket"])
        let command = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            line.split(separator: " ").map(String.init),
            environment: desk.environment,
            directory: desk.directory.path
        )
        for _ in 0..<Recovery.greetings {
            _ = try System.poll([PollInterest(listener.raw, .readable)], milliseconds: ProcessRunner.watchdog)
            guard case .connection = try listener.accept() else { throw ScriptedPeerError.nothingCame }
        }
        let finished = try command.finish()
        #expect(finished.exitCode == 3, "\(finished.errorText)")
        if case .connection = try listener.accept() { Issue.record("one connection too many") }
        try? System.unlink(desk.directory["socket"])
    }
}
