import Glibc

/// Writes to standard output and standard error.
enum StandardStreams {
    /// Writes a text at once, however slowly it is read. `print` with `fflush` would wait for the thread that reads standard
    /// input, which holds the lock of its stream.
    static func say(_ text: String, on descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                // Whoever gave it to us has made it non-blocking.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if count == 0 || errno != EINTR {
                // Nobody reads any more.
                return
            }
        }
    }
}
