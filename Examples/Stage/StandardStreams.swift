import Glibc

/// Writes to standard output and standard error.
enum StandardStreams {
    /// Writes a text without delay, even to a slow reader. `print` with `fflush` would wait for the thread that reads
    /// standard input, because it holds the lock of that stream.
    static func say(_ text: String, on descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                // The descriptor was inherited in non-blocking mode.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if count == 0 || errno != EINTR {
                // The reader has closed its end.
                return
            }
        }
    }
}
