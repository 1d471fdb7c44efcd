import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// A program in a pseudoterminal. The test types into it and reads its screen.
final class TerminalProgram {
    enum Trouble: Error, CustomStringConvertible {
        case never(String, screen: String)

        var description: String {
            switch self {
            case .never(let what, let screen): "the screen never showed \(what); it shows:\n\(screen)"
            }
        }
    }

    let child: ChildProcess
    private(set) var screen: EmulatedScreen
    private let terminal: PseudoTerminal
    private var isOver = false

    /// Runs a program from the directory of the tests, or a shell script that finds the program as `$0`.
    init(
        columns: Int = 60,
        rows: Int = 20,
        _ program: String,
        _ arguments: [String] = [],
        script: String = "exec \"$0\" \"$@\"",
        environment: [String: String]
    ) throws {
        terminal = try PseudoTerminal(processesOutput: true)
        terminal.resize(columns: columns, rows: rows)
        screen = EmulatedScreen(columns: columns, rows: rows)

        var configuration = ChildProcess.Configuration(
            path: "/bin/sh",
            // The first terminal that a session leader opens becomes the controlling terminal.
            arguments: ["-c", "exec <>\(terminal.path) >&0 2>&0; \(script)", try ProcessRunner.program(program)]
                + arguments,
            environment: Sanitizer.environment(with: environment)
        )
        configuration.output = .null
        configuration.errors = .null
        configuration.inNewSession = true
        child = try ChildProcess(configuration)
    }

    deinit {
        guard !isOver else { return }
        try? child.killGroup(SIGKILL)
        _ = try? child.wait()
    }

    /// Whether the terminal echoes and reads whole lines, as under a shell.
    var isAsBefore: Bool {
        let settings = terminal.settings
        let flags = tcflag_t(ECHO | ICANON | ISIG)
        return settings.c_lflag & flags == flags && settings.c_oflag & tcflag_t(OPOST) != 0 && !screen.isAlternate
            && screen.isCursorVisible && screen.wraps && !screen.marksPastes
    }

    func type(_ text: String) throws {
        try terminal.type(text)
    }

    /// Reads until the screen fulfils the condition.
    func wait(for what: String, until isSeen: (EmulatedScreen) -> Bool) throws {
        let deadline = MonotonicClock.deadline(milliseconds: ProcessRunner.watchdog)
        while !isSeen(screen) {
            let ready = try System.poll(
                [PollInterest(terminal.line, .readable)],
                milliseconds: Int(MonotonicClock.millisecondsLeft(until: deadline))
            )
            guard ready[0].contains(.readable) else {
                throw Trouble.never(what, screen: "\(screen.text)\n\(screen.shellText)")
            }
            screen.receive(try System.read(terminal.line, upTo: 4096))
        }
    }

    /// Reads until a line shows the text.
    func wait(for text: String) throws {
        try wait(for: "“\(text)”") { $0.text.contains(text) }
    }

    /// Waits until the program has ended, and reads the rest of its output.
    func finish() throws -> ProcessEnd {
        let descriptor = try System.processDescriptor(child.id)
        while true {
            let ready = try System.poll(
                [PollInterest(terminal.line, .readable), PollInterest(descriptor.raw, .readable)],
                milliseconds: ProcessRunner.watchdog
            )
            if ready[0].contains(.readable) {
                screen.receive(try System.read(terminal.line, upTo: 4096))
            } else if ready[1].contains(.readable) {
                isOver = true
                return try child.wait()
            } else {
                throw Trouble.never("the end of its program", screen: "\(screen.text)\n\(screen.shellText)")
            }
        }
    }
}
