import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// A pseudoterminal in which a program runs. The test types into it and reads its screen.
final class PseudoTerminal {
    enum Trouble: Error, CustomStringConvertible {
        case never(String, screen: String)

        var description: String {
            switch self {
            case .never(let what, let screen): "the screen never showed \(what); it shows:\n\(screen)"
            }
        }
    }

    /// The two requests that set up a pseudoterminal, which Glibc does not export to Swift.
    private static let unlock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    let child: ChildProcess
    private(set) var screen: EmulatedScreen
    private var master: DescriptorBox?
    private let line: CInt
    /// Kept open so that the settings outlive the program, as under a shell.
    private let device: OwnedDescriptor
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
        let master = DescriptorBox(OwnedDescriptor(adopting: open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)))
        self.master = master
        line = master.raw
        var zero: CInt = 0
        var index: CInt = 0
        try #require(ioctl(master.raw, Self.unlock, &zero) == 0)
        try #require(ioctl(master.raw, Self.number, &index) == 0)
        let path = "/dev/pts/\(index)"
        device = OwnedDescriptor(adopting: open(path, O_RDWR | O_NOCTTY | O_CLOEXEC))
        screen = EmulatedScreen(columns: columns, rows: rows)
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(master.raw, UInt(TIOCSWINSZ), &size) == 0)

        var configuration = ChildProcess.Configuration(
            path: "/bin/sh",
            // The first terminal that a session leader opens becomes the controlling terminal.
            arguments: ["-c", "exec <>\(path) >&0 2>&0; \(script)", try ProcessRunner.program(program)] + arguments,
            environment: environment.map { "\($0)=\($1)" }
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
        var settings = termios()
        tcgetattr(device.raw, &settings)
        let flags = tcflag_t(ECHO | ICANON | ISIG)
        return settings.c_lflag & flags == flags && settings.c_oflag & tcflag_t(OPOST) != 0 && !screen.isAlternate
            && screen.isCursorVisible && screen.wraps && !screen.marksPastes
    }

    func type(_ text: String) throws {
        try System.write(Array(text.utf8).span, to: line)
    }

    func resize(columns: Int, rows: Int) throws {
        screen.resize(columns: columns, rows: rows)
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(line, UInt(TIOCSWINSZ), &size) == 0)
    }

    /// Reads until the screen fulfils the condition.
    func wait(for what: String, until isSeen: (EmulatedScreen) -> Bool) throws {
        let deadline = MonotonicClock.deadline(milliseconds: ProcessRunner.watchdog)
        while !isSeen(screen) {
            let ready = try System.poll(
                [PollInterest(line, .readable)],
                milliseconds: Int(MonotonicClock.millisecondsLeft(until: deadline))
            )
            guard ready[0].contains(.readable) else {
                throw Trouble.never(what, screen: "\(screen.text)\n\(screen.shellText)")
            }
            screen.receive(try System.read(line, upTo: 4096))
        }
    }

    /// Reads until a line shows the text.
    func wait(for text: String) throws {
        try wait(for: "“\(text)”") { $0.text.contains(text) }
    }

    /// Reads until no line shows the text.
    func waitForEnd(of text: String) throws {
        try wait(for: "no “\(text)” any more") { !$0.text.contains(text) }
    }

    /// Waits until the program has ended, and reads the rest of its output.
    func finish() throws -> ProcessEnd {
        let descriptor = try System.processDescriptor(child.id)
        while true {
            let ready = try System.poll(
                [PollInterest(line, .readable), PollInterest(descriptor.raw, .readable)],
                milliseconds: ProcessRunner.watchdog
            )
            if ready[0].contains(.readable) {
                screen.receive(try System.read(line, upTo: 4096))
            } else if ready[1].contains(.readable) {
                isOver = true
                return try child.wait()
            } else {
                throw Trouble.never("the end of its program", screen: "\(screen.text)\n\(screen.shellText)")
            }
        }
    }

    /// Hangs up the terminal, so that the program is left without it.
    func hangUp() throws -> ProcessEnd? {
        master = nil
        return try endUnread()
    }

    /// Waits until the program has ended, without reading its output.
    func endUnread() throws -> ProcessEnd? {
        let end = try child.wait(milliseconds: ProcessRunner.watchdog)
        isOver = end != nil
        return end
    }
}
