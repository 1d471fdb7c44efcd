import Glibc
import PasteboardTransport

/// Standard input, output and error.
enum StandardStreams {
    /// Opens `/dev/null` for each stream that the caller closed. Otherwise the broker's socket would get that number,
    /// and output would go there. Each is opened in the wrong direction, so that its use is an error.
    static func occupyClosedOnes() {
        for descriptor in CInt(0)...2 {
            do {
                _ = try System.openFlags(of: descriptor)
            } catch {
                // The lowest free number is this one.
                guard let null = try? System.open("/dev/null", descriptor == 0 ? .writing : .reading) else { return }
                _ = null.release()
            }
        }
    }

    /// Writes text of this program to standard output.
    static func print(_ text: String) throws {
        try write(Array(text.utf8).span)
    }

    /// Prints a path on a separate line: unchanged for other programs, escaped for a terminal.
    static func print(path: SystemString) throws {
        let isTerminal = System.isTerminal(1)
        try write(((isTerminal ? SystemString(VisibleText.line(path.description)) : path) + "\n").bytes.span)
    }

    /// Prints the result of a command: its text, or with --json one line of JSON.
    static func print(_ text: @autoclosure () -> String, json: @autoclosure () -> JSONValue) throws {
        try Invocation.current.isJSON ? print(json: json()) : print(text())
    }

    /// Prints a line of JSON.
    static func print(json: JSONValue, to descriptor: CInt = 1) throws {
        try write(Array(json.line.utf8).span, to: descriptor)
    }

    static func write(_ bytes: Span<UInt8>, to descriptor: CInt = 1) throws {
        do {
            try System.write(bytes, to: descriptor)
        } catch {
            throw failure(error)
        }
    }

    static func failure(_ error: SystemError) -> CommandFailure {
        // If SIGPIPE is ignored, a closed reader is reported as this error.
        if error.errno == EPIPE { return .signaled(SIGPIPE) }
        return CommandFailure(local: "cannot write standard output: \(error.reason)")
    }

    /// Prints a note on standard error, unless `--quiet` was given.
    static func note(_ line: String) {
        if !Invocation.current.isQuiet { report(line) }
    }

    /// Prints a note that begins with the name of the command.
    static func remark(_ text: String) {
        note(Invocation.current.prefix + text)
    }

    /// Prints a line on standard error. Control characters in it are escaped.
    static func report(_ line: String) {
        try? System.write(Array("\(VisibleText.line(line))\n".utf8).span, to: 2)
    }
}
