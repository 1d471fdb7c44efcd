import CPasteboardSystem
import Glibc

/// A descriptor from which the program reads its signals, so that they do not interrupt it.
///
/// It has to be created on the main thread before any other thread starts. It blocks the signals there, and the other
/// threads inherit the mask, so the signals arrive only at this descriptor. `ChildProcess` starts children with an
/// empty mask.
package struct SignalDescriptor: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// Readable when a signal has arrived.
    package var raw: CInt { descriptor.raw }

    package init(_ signals: [CInt]) throws(SystemError) {
        var mask = System.signalSet(signals)
        let code = pthread_sigmask(SIG_BLOCK, &mask, nil)
        if code != 0 { throw SystemError(call: "pthread_sigmask", errno: code) }
        descriptor = OwnedDescriptor(adopting: try System.call("signalfd") { pbs_signal_descriptor(&mask) })
    }

    /// The next signal that has arrived; nil if there is none.
    package func next() throws(SystemError) -> CInt? {
        try nextWithOrigin()?.signal
    }

    /// The code of a signal that was sent with a value (`SI_QUEUE`).
    private static let queued: Int32 = -1

    /// The next signal that has arrived, and the value that was sent with it; nil if none was, as by the command
    /// `kill`.
    package func nextWithValue() throws(SystemError) -> (signal: CInt, value: Int32?)? {
        try nextInfo().map { (CInt(bitPattern: $0.ssi_signo), $0.ssi_code == Self.queued ? $0.ssi_int : nil) }
    }

    /// The next signal that has arrived, and whether the kernel sent it: for a key of the terminal, for example, which
    /// all processes in the foreground get.
    package func nextWithOrigin() throws(SystemError) -> (signal: CInt, isFromKernel: Bool)? {
        try nextInfo().map { (CInt(bitPattern: $0.ssi_signo), $0.ssi_code > 0) }
    }

    private func nextInfo() throws(SystemError) -> signalfd_siginfo? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        let count = try System.callUnlessBlocked("read signals") { Glibc.read(descriptor.raw, &info, size) }
        return count == size ? info : nil
    }
}

extension System {
    static func signalSet(_ signals: [CInt]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }

    /// Whether this process ignores the signal.
    package static func ignores(_ signal: CInt) -> Bool { pbs_is_ignored(signal) != 0 }

    /// Makes a write to a pipe without a reader fail instead of ending the process. For programs, not for libraries.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Makes a write beyond the limit on the size of files fail instead of ending the process. For programs, not for
    /// libraries.
    package static func ignoreFileSizeSignals() {
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Lets the ends of children be noticed, also if this process was started with the signal ignored. For programs,
    /// not for libraries.
    package static func noticeChildren() {
        _ = signal(SIGCHLD, SIG_DFL)
    }

    /// Ignores signals that end a process by default and have no meaning for this one. They can reach it by mistake,
    /// when a process id has been reused. For programs, not for libraries.
    package static func ignoreStraySignals() {
        for stray in [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT, SIGXCPU] {
            _ = signal(stray, SIG_IGN)
        }
        // The real-time signals, without those that the C library reserves.
        for stray in __libc_current_sigrtmin()...__libc_current_sigrtmax() { _ = signal(stray, SIG_IGN) }
    }

    /// Sends a signal with a value to the process of a `processDescriptor`.
    package static func send(_ signal: CInt, value: Int32, to process: CInt) throws(SystemError) {
        _ = try call("pidfd_send_signal") { pbs_send_signal(process, signal, value) }
    }
}
