import Glibc

/// The one stream of a process to which its keys and signals come.
///
/// Both are waited for on threads of their own: Swift's threads must not block, and a signal handler may do next to
/// nothing. The signals are blocked, on the main thread before there are others, and so arrive nowhere but here.
enum TerminalEvents {
    /// What a program in a terminal is sent.
    static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]
    /// How long the rest of a key may take, in milliseconds.
    private static let patience: Int32 = 50

    private static let (stream, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)

    /// Begins to listen. Once in a process, on its main thread.
    static func listen() throws(TerminalError) -> AsyncStream<TerminalEvent> {
        change(signals, SIG_BLOCK)
        try startThread { _ in
            TerminalEvents.forwardSignals()
            return nil
        }
        try startThread { _ in
            TerminalEvents.forwardKeys()
            return nil
        }
        return stream
    }

    /// Blocks signals on this thread, or lets them through.
    static func change(_ signals: [Int32], _ how: Int32) {
        var set = signalSet(signals)
        pthread_sigmask(how, &set, nil)
    }

    private static func signalSet(_ signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }

    private static func startThread(
        _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    ) throws(TerminalError) {
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, body, nil)
        guard code == 0 else {
            throw TerminalError("cannot listen to the terminal: \(String(cString: strerror(code)))")
        }
        pthread_detach(thread)
    }

    private static func forwardSignals() {
        var set = signalSet(signals)
        var signal: Int32 = 0
        while sigwait(&set, &signal) == 0 {
            switch signal {
            case SIGWINCH: continuation.yield(.resized)
            case SIGTSTP: continuation.yield(.suspended)
            case SIGCONT: continuation.yield(.resumed)
            default: continuation.yield(.signalled(signal))
            }
        }
    }

    private static func forwardKeys() {
        var decoder = KeyDecoder()
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let ready = poll(&input, 1, decoder.isWaiting ? patience : -1)
            if ready < 0 && errno == EINTR { continue }
            if ready == 0 {
                for key in decoder.flush() { continuation.yield(.key(key)) }
                continue
            }
            let count = ready < 0 ? -1 : read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard count > 0 else { break }
            for key in decoder.decode(bytes[..<count]) { continuation.yield(.key(key)) }
        }
        continuation.yield(.closed)
    }
}
