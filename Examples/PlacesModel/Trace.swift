import Glibc

/// One line for each event, written at once: somebody may wait for it at the other end of a pipe.
public enum Trace {
    /// Prints a line.
    public static func line(_ text: String) {
        print(text)
        fflush(nil)
    }
}
