import Glibc
import PasteboardClient
import PasteboardTransport

/// A reference to a signal descriptor, so that it can be shared and optional.
final class SignalBox {
    private let signals: SignalDescriptor
    /// The signals that were blocked before.
    private var before = sigset_t()
    private var interruption: Task<Void, Never>?

    var raw: CInt { signals.raw }
    /// The wait for one of the signals.
    var interest: PollInterest { PollInterest(raw, .readable) }

    /// Signals that the process ignores, for example because it was started by `nohup`, are left ignored.
    ///
    /// - Parameters:
    ///   - signals: by default those that end a command.
    ///   - loop: the loop whose command a signal interrupts; nil if it only waits for it.
    init(_ signals: [CInt] = [SIGINT, SIGTERM, SIGHUP], interrupting loop: Loop? = nil) throws {
        pthread_sigmask(SIG_BLOCK, nil, &before)
        self.signals = try SignalDescriptor(signals.filter { !System.ignores($0) })
        guard let loop else { return }
        let interest = interest
        interruption = Task(executorPreference: loop) { if await loop.ready(interest) { loop.interrupt() } }
    }

    deinit { interruption?.cancel() }

    /// Lets the signals have their usual effect again, also those that have arrived and were not read.
    func unblock() {
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    func next() throws -> CInt? {
        try signals.next()
    }

    func nextWithOrigin() throws -> (signal: CInt, isFromKernel: Bool)? {
        try signals.nextWithOrigin()
    }

    /// Throws the failure of a command that a signal has ended, if one has arrived.
    func check() throws {
        if let signal = try next() { throw CommandFailure.signaled(signal) }
    }
}
