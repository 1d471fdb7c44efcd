import Glibc

/// The single stream of key presses and signals of a process.
///
/// A separate thread waits for both, because Swift's threads must not block. Waiting for signals with `sigwait` is not
/// possible: when an asynchronous program starts, its first thread unblocks all of them. So signal handlers write the
/// number of the signal to a pipe; little else is allowed in a handler.
enum TerminalEvents {
    /// The signals that a program in a terminal receives.
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]
    /// The timeout in milliseconds for the rest of a key.
    private static let timeout: Int32 = 50

    private static let (stream, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
    /// The read end and the write end of the pipe.
    private static let pipe: [Int32] = {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return [-1, -1] }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return ends
    }()

    /// Starts the thread. Call it once in a process.
    static func listen() throws(TerminalError) -> AsyncStream<TerminalEvent> {
        guard pipe[0] >= 0 else {
            throw TerminalError("cannot make a pipe: \(String(cString: strerror(errno)))")
        }
        for signal in signals { handle(signal) }
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            nil,
            { _ in
                TerminalEvents.forward()
                return nil
            },
            nil
        )
        guard code == 0 else {
            throw TerminalError("cannot listen to the terminal: \(String(cString: strerror(code)))")
        }
        pthread_detach(thread)
        return stream
    }

    private static func handle(_ signal: Int32) {
        _ = Glibc.signal(signal) { signal in
            let before = errno
            var byte = UInt8(truncatingIfNeeded: signal)
            _ = write(TerminalEvents.pipe[1], &byte, 1)
            errno = before
        }
    }

    /// Applies the default effect of a signal. Returns if the process survives, for SIGTSTP after it was continued.
    static func surrender(to signal: Int32) {
        _ = Glibc.signal(signal, SIG_DFL)
        var set = sigset_t()
        var before = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        // The signal is delivered on this thread, and so during this call.
        pthread_sigmask(SIG_UNBLOCK, &set, &before)
        raise(signal)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        handle(signal)
    }

    // MARK: The thread

    private static func forward() {
        var decoder = KeyDecoder()
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            var inputs = [STDIN_FILENO, pipe[0]].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = poll(&inputs, nfds_t(inputs.count), decoder.isWaiting ? timeout : -1)
            if count == 0 { yield(decoder.flush()) }
            if inputs[1].revents != 0 {
                let count = read(pipe[0], &bytes, bytes.count)
                for signal in bytes.prefix(max(count, 0)) { continuation.yield(event(Int32(signal))) }
            }
            guard inputs[0].revents != 0 else { continue }
            let length = read(STDIN_FILENO, &bytes, bytes.count)
            if length < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard length > 0 else { break }
            yield(decoder.decode(bytes[..<length]))
        }
        continuation.yield(.closed)
    }

    private static func yield(_ keys: [Key]) {
        for key in keys { continuation.yield(.key(key)) }
    }

    private static func event(_ signal: Int32) -> TerminalEvent {
        switch signal {
        case SIGWINCH: .resized
        case SIGTSTP: .suspended
        case SIGCONT: .resumed
        default: .signalled(signal)
        }
    }
}
