@preconcurrency import Glibc

/// One line for each event, written at once: somebody may wait for it at the other end of a pipe.
public enum Trace {
    /// Once for all: flushing all streams after each line would wait for a thread that reads standard input.
    private static let buffersLines: Void = setlinebuf(stdout)

    /// Prints a line.
    public static func line(_ text: String) {
        buffersLines
        print(text)
    }
}
