import Glibc

/// The terminal of a process, as long as the process draws on it.
///
/// Keys come as they are pressed, nothing is echoed, and the program has a screen of its own; ``close()`` gives back the
/// one that was there, as it was. While the process is stopped the terminal is the shell's, too.
@MainActor
public final class Terminal {
    /// What comes from it, for one reader.
    public let events: AsyncStream<TerminalEvent>

    /// How long a terminal may take nothing, in milliseconds. It is not waited for longer: the screen is drawn anew then.
    private static let patience: Int32 = 1000
    /// A screen of its own, without a cursor; what is too long for a line does not go on in the next; what is pasted is
    /// told from what is typed.
    private static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h"
    private static let leaving = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Opened anew, so that not to wait for it concerns nobody else.
    private let output: Int32
    /// What it was set to before; nil: it is so now.
    private var settings: termios?
    /// What it was set to at first.
    private var first: termios?
    /// What it shows; nil: anything.
    private var shown: Frame?
    private var wanted: TableScreen?
    private var isClosed = false
    private let hasColors = Terminal.environment("NO_COLOR").isEmpty
    /// It has not taken anything for so long that nobody waits for it.
    private var isStalled = false

    /// Takes the terminal over. Once in a process.
    public init() throws(TerminalError) {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw TerminalError("standard input and output are no terminal; run it in one")
        }
        let kind = Self.environment("TERM")
        guard !kind.isEmpty, kind != "dumb" else {
            throw TerminalError(
                "TERM is \(kind.isEmpty ? "not set" : kind), so that nothing can be drawn; set it to what the terminal is"
            )
        }
        output = open("/dev/tty", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard output >= 0 else {
            throw TerminalError("cannot open the terminal /dev/tty: \(String(cString: strerror(errno)))")
        }
        events = try TerminalEvents.listen()
        enter()
    }

    /// Shows a table, from now on, also when the size changes.
    public func show(_ screen: TableScreen) {
        guard !isClosed else { return }
        wanted = screen
        draw()
    }

    /// What a program does with each event before its own: follows the size, stops and goes on. In this mode a terminal
    /// makes no signals of keys, so this does.
    ///
    /// - Returns: whether the program is to end.
    public func handle(_ event: TerminalEvent) -> Bool {
        if case .key = event { TerminalEvents.taken() }
        switch event {
        case .resized: draw()
        case .suspended, .key(.control("z")): stop()
        case .resumed: enter()
        case .key(.control("l")):
            shown = nil
            draw()
        case .closed, .signalled: return true
        case .key(let key): return key.ends
        }
        return false
    }

    /// Gives the terminal back.
    public func close() {
        leave()
        wanted = nil
        isClosed = true
    }

    /// Ends the process as the signal would have, so that whoever has started it sees so.
    public static func end(by signal: Int32) -> Never {
        TerminalEvents.surrender(to: signal)
        exit(128 + signal)
    }

    // MARK: The screen

    private var size: ScreenSize {
        var size = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return ScreenSize(columns: 80, rows: 24)
        }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    private static func environment(_ name: String) -> String {
        getenv(name).map { String(cString: $0) } ?? ""
    }

    private func draw() {
        guard let wanted, isForeground else { return }
        // Not every shell says that it has the program in the foreground again.
        if settings == nil { return enter() }
        let frame = wanted.frame(size)
        shown = write(frame.bytes(from: shown, hasColors: hasColors)) ? frame : nil
    }

    /// Whether the terminal is the program's, and not a shell's that has it run in the background.
    private var isForeground: Bool { tcgetpgrp(output) == getpgrp() }

    private func stop() {
        leave()
        // Without a shell that could continue it, the process does not stop.
        TerminalEvents.surrender(to: SIGTSTP)
        enter()
    }

    private func enter() {
        var current = termios()
        guard isForeground, tcgetattr(STDIN_FILENO, &current) == 0 else {
            // The shell has the terminal, as it likes it: what it was set to is forgotten, and it is entered anew.
            settings = nil
            return
        }
        // After a stop that was not announced it may be as it was left here.
        // Not every shell has mended it.
        if settings == nil { settings = current.c_lflag & tcflag_t(ICANON) == 0 ? first ?? current : current }
        first = first ?? settings
        cfmakeraw(&current)
        tcsetattr(STDIN_FILENO, TCSANOW, &current)
        _ = write(Array(Self.entering.utf8))
        shown = nil
        draw()
    }

    private func leave() {
        guard var settings else { return }
        self.settings = nil
        // Who has stopped the program unannounced has mended the terminal, too.
        guard isForeground else { return }
        // This is worth one more wait.
        isStalled = false
        _ = write(Array(Self.leaving.utf8))
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// - Returns: whether the terminal took all of it.
    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(output, Array(rest), rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                var terminal = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                if poll(&terminal, 1, isStalled ? 0 : Self.patience) == 0 {
                    isStalled = true
                    return false
                }
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        isStalled = false
        return true
    }
}
