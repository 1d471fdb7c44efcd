import Glibc
import PasteboardTransport

/// Standard input, output and error.
enum StandardStreams {
    /// A stream that the caller closed would else become the broker's socket, and what is printed would go there.
    /// Each is opened the wrong way round, so that using it is an error instead of an empty success.
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

    /// Text of our own on standard output.
    static func print(_ text: String) throws {
        try self.write(Array(text.utf8).span)
    }

    /// A path on a line of its own: as it is, for other programs; for a terminal made harmless.
    static func print(path: SystemString) throws {
        let isTerminal = System.isTerminal(1)
        try self.write(((isTerminal ? SystemString(VisibleText.line(path.description)) : path) + "\n").bytes.span)
    }

    static func write(_ bytes: Span<UInt8>) throws {
        do {
            try System.write(bytes, to: 1)
        } catch {
            throw self.failure(error)
        }
    }

    static func failure(_ error: SystemError) -> CommandFailure {
        // Where SIGPIPE is ignored this is how the reader's end is heard of.
        if error.errno == EPIPE { return .signaled(SIGPIPE) }
        return CommandFailure(local: "cannot write standard output: \(error.reason)")
    }

    /// A line on standard error. Whatever strangers put in it is made harmless.
    static func note(_ line: String) {
        try? System.write(Array("\(VisibleText.line(line))\n".utf8).span, to: 2)
    }
}
