import Glibc
import PasteboardTransport
import TestSupport
import Testing

@Suite("The terminal is restored", .processes)
struct TerminalRestoringTests {
    @Test("after keys that quit", arguments: ["q", "\u{3}", "\u{4}"])
    func keys(key: String) throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        #expect(!places.isAsBefore)
        try places.type(key)
        #expect(try places.finish() == .exited(0))
        #expect(places.isAsBefore)
        #expect(places.screen.unknown.isEmpty)
    }

    @Test("after signals, which the exit status reports", arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func signals(signal: CInt) throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        // The same during a drag.
        try places.type(" ")
        try places.wait(for: "✈ Yosemite → here, row 1: nothing")
        try places.child.kill(signal)
        #expect(try places.finish() == .signaled(signal))
        #expect(places.isAsBefore)
    }

    @Test("while the program is stopped, and taken over again when it continues")
    func stop() throws {
        let desk = try TerminalDesk()
        let places = try desk.places(
            script: "set -m; \"$0\" \"$@\"; echo status $?; read line; fg >/dev/null; echo end $?"
        )
        try places.type(" ")
        try places.wait(for: "✈ Yosemite")
        try places.type("\u{1A}")
        try places.wait(for: "the shell") { $0.shellText.contains("status 148") }
        #expect(places.isAsBefore)
        try places.type("\n")
        try places.wait(for: "the table again") { $0.isAlternate && $0.text.contains("✈ Yosemite") }
        try places.type("\u{1B}")
        try places.wait(for: "Yosemite stays")
        try places.type("q")
        #expect(try places.finish() == .exited(0))
        #expect(places.screen.shellText.contains("end 0"))
        #expect(places.isAsBefore)
    }

    @Test("in the background the terminal is left to the shell")
    func background() throws {
        let desk = try TerminalDesk()
        let places = try desk.places(
            script: "set -m; \"$0\" \"$@\"; bg >/dev/null; echo behind; read line; fg >/dev/null; echo end $?"
        )
        try places.type("\u{1A}")
        try places.wait(for: "the shell") { $0.shellText.contains("behind") }
        try places.type("\n")
        try places.wait(for: "the table again") { $0.isAlternate && $0.text.contains("▸ 1 Yosemite") }
        try places.type("q")
        #expect(try places.finish() == .exited(0))
        #expect(places.screen.shellText.hasSuffix("behind\r\n\r\nend 0\r\n"))
        #expect(places.isAsBefore)
    }

    @Test("a program that ends while it is stopped does not touch the terminal")
    func endedWhileStopped() throws {
        let desk = try TerminalDesk()
        let places = try desk.places(
            script: "set -m; \"$0\" \"$@\"; kill %1; kill -CONT %1; "
                + "until wait %1; code=$?; [ $code != 148 ]; do :; done; echo end $code"
        )
        try places.type("\u{1A}")
        #expect(try places.finish() == .exited(0))
        #expect(places.screen.shellText.hasSuffix("end 143\r\n"))
        #expect(places.isAsBefore)
    }

    @Test("the terminal is set up again after an unannounced stop")
    func unannounced() throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        try places.child.kill(SIGSTOP)
        try places.child.kill(SIGCONT)
        try places.type("\u{1B}[B")
        try places.wait(for: " ▸ 2 Yellowstone")
        try places.type("q")
        #expect(try places.finish() == .exited(0))
        #expect(places.isAsBefore)
    }

    @Test("a hangup ends the program")
    func hangUp() throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        let end = try places.hangUp()
        #expect(end == .signaled(SIGHUP) || end == .exited(0))
    }

    @Test("a terminal that accepts no more output does not keep the program from ending")
    func stalled() throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        // Far more than a terminal buffers, and nothing reads it.
        for columns in 200...240 { places.resize(columns: columns, rows: 200) }
        try places.type(String(repeating: "e", count: 100))
        try places.child.kill(SIGTERM)
        #expect(try places.endUnread() == .signaled(SIGTERM))
    }

    @Test("a key that ends the program does so, however many keys are waiting")
    func flood() throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        for _ in 0..<200 {
            try places.type(String(repeating: "\u{1B}[B\u{1B}[A", count: 300))
        }
        try places.type("\u{3}")
        #expect(try places.finish() == .exited(0))
        #expect(places.isAsBefore)
    }

    @Test("a terminal that cannot draw is refused with a message", arguments: ["dumb", ""])
    func dumb(kind: String) throws {
        let desk = try TerminalDesk()
        var environment = desk.environment
        environment["TERM"] = kind
        let places = try TerminalProgram("places", ["--interactive"], environment: environment)
        #expect(try places.finish() == .exited(2))
        #expect(places.screen.shellText.contains("places: TERM is \(kind.isEmpty ? "not set" : kind)"))
        #expect(places.isAsBefore)
    }

    @Test("without a terminal the program reports it")
    func none() throws {
        let desk = try TerminalDesk()
        let finished = try ProcessRunner(
            try ProcessRunner.program("places"),
            ["--interactive"],
            environment: desk.environment
        ).finish()
        #expect(finished.exitCode == 2)
        #expect(finished.errorText.contains("places: standard input and output are no terminal"))
        #expect(finished.text.isEmpty)
    }
}
