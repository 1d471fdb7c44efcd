import Glibc
import Synchronization

/// The one stream of a process to which its keys and signals come.
///
/// A thread of its own waits for both, as Swift's threads must not block. Signals cannot be waited for: after the start of an
/// asynchronous program its first thread lets all of them through. So they are handled there, by writing their number to a
/// pipe, which is about all that a handler may do.
enum TerminalEvents {
    /// What a program in a terminal is sent.
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]
    /// How long the rest of a key may take, in milliseconds.
    private static let patience: Int32 = 50

    /// Nobody types farther ahead. What is pasted by mistake ends here: only keys that end a program get through.
    private static let most = 64
    /// Keys that the program has not come to yet.
    private static let unread = Atomic(0)

    private static let (stream, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
    /// Its ends for reading and writing.
    private static let pipe: [Int32] = {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return [-1, -1] }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return ends
    }()

    /// Begins to listen. Once in a process.
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

    /// Does what the signal does to a program that does not handle it. Returns if that does not end the process, for
    /// SIGTSTP after it was continued.
    static func surrender(to signal: Int32) {
        _ = Glibc.signal(signal, SIG_DFL)
        var set = sigset_t()
        var before = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        // On this very thread, and so within this call.
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
            let count = poll(&inputs, nfds_t(inputs.count), decoder.isWaiting ? patience : -1)
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
        for key in keys where unread.load(ordering: .relaxed) < most || key.ends {
            unread.add(1, ordering: .relaxed)
            continuation.yield(.key(key))
        }
    }

    /// The program has come to a key.
    static func taken() {
        unread.subtract(1, ordering: .relaxed)
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

extension Key {
    /// Whether it ends a program, as a signal does.
    var ends: Bool { self == .control("c") || self == .control("d") }
}
