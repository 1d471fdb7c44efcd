import Glibc

/// Writes to standard output and standard error.
enum StandardStreams {
    /// Writes a text at once. `print` with `fflush` would wait for the thread that reads standard input, which holds the lock
    /// of its stream.
    static func say(_ text: String, on descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            // Nobody reads any more.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
