import Glibc

/// The terminal of a process, while the process draws on it.
///
/// Key presses arrive immediately and are not echoed, and the program uses the alternate screen. ``close()`` restores
/// the previous screen. While the process is stopped the terminal is also restored, for the shell.
@MainActor
public final class Terminal {
    /// The events of the terminal, for one reader.
    public let events: AsyncStream<TerminalEvent>

    /// The longest time in milliseconds for which a write waits. If the terminal takes longer, the screen is drawn
    /// completely later.
    private static let timeout: Int32 = 1000
    /// Enables the alternate screen, hides the cursor, disables line wrapping, and marks pasted text.
    private static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h"
    private static let leaving = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// A separate open file description, so that the non-blocking mode does not affect other processes.
    private let output: Int32
    /// The settings before the terminal was taken over; nil if it is not taken over now.
    private var settings: termios?
    /// The settings when the process started.
    private var first: termios?
    /// The current contents; nil if they are unknown.
    private var shown: Frame?
    private var wanted: TableScreen?
    private var isClosed = false
    private let hasColors = Terminal.environment("NO_COLOR").isEmpty
    /// Whether the terminal has exceeded the timeout, so that writes no longer wait for it.
    private var isStalled = false

    /// Takes over the terminal. Call it once in a process.
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

    /// Shows a table from now on, also after a change of size.
    public func show(_ screen: TableScreen) {
        guard !isClosed else { return }
        wanted = screen
        draw()
    }

    /// Handles an event before the program does: adapts to a new size, suspends and resumes. In raw mode the terminal
    /// does not turn keys into signals, so this method does.
    ///
    /// - Returns: whether the program has to end.
    public func handle(_ event: TerminalEvent) -> Bool {
        switch event {
        case .resized: draw()
        case .suspended, .key(.control("z")): stop()
        case .resumed: enter()
        case .key(.control("l")):
            shown = nil
            draw()
        case .closed, .signalled, .key(.control("c")), .key(.control("d")): return true
        case .key: break
        }
        return false
    }

    /// Restores the terminal.
    public func close() {
        leave()
        wanted = nil
        isClosed = true
    }

    /// Ends the process as the signal would have, so that its parent sees the signal in the exit status.
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
        // Not every shell sends a signal when it brings the program to the foreground.
        if settings == nil { return enter() }
        let frame = wanted.frame(size)
        shown = write(frame.bytes(from: shown, hasColors: hasColors)) ? frame : nil
    }

    /// Whether the program is in the foreground and so may use the terminal.
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
            // The shell has the terminal and its settings. The saved settings are dropped, and the terminal is taken
            // over again later.
            settings = nil
            return
        }
        // After an unannounced stop the terminal may still have the settings of this program, because not every shell
        // restores them.
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
        // After an unannounced stop the shell has restored the terminal.
        guard isForeground else { return }
        // Restoring the terminal is worth waiting once more.
        isStalled = false
        _ = write(Array(Self.leaving.utf8))
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// - Returns: whether the terminal accepted all bytes.
    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(output, Array(rest), rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                var terminal = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                if poll(&terminal, 1, isStalled ? 0 : Self.timeout) == 0 {
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
