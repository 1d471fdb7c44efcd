@preconcurrency import Glibc

/// Prints one line for each event without delay, since another program may wait for the line at the other end of a
/// pipe.
public enum Trace {
    /// Makes standard output line-buffered, once. Flushing all streams after each line would hang while another thread
    /// reads standard input.
    private static let buffersLines: Void = setlinebuf(stdout)

    /// Prints a line.
    public static func line(_ text: String) {
        buffersLines
        print(text)
    }
}
