import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The signals that a command handles itself.
final class SignalBox: Sendable {
    private let signals: SignalDescriptor
    private let interrupt: @Sendable () -> Void
    private let interruption: Task<Void, Never>?

    /// The wait for one of the signals.
    var interest: PollInterest { PollInterest(signals.raw, .readable) }

    /// Signals that the process ignores, for example because it was started by `nohup`, are left ignored.
    ///
    /// - Parameters:
    ///   - signals: by default those that end a command.
    ///   - loop: the loop whose command a signal interrupts; nil if it only waits for it.
    ///   - prepare: called before the interruption.
    init(
        _ signals: [CInt] = [SIGINT, SIGTERM, SIGHUP],
        interrupting loop: Loop? = nil,
        prepare: @escaping @Sendable () -> Void = {}
    ) throws {
        self.signals = try SignalDescriptor(signals.filter { !System.ignores($0) })
        let interest = PollInterest(self.signals.raw, .readable)
        let interrupt = { @Sendable in
            prepare()
            loop?.interrupt()
        }
        self.interrupt = interrupt
        interruption = loop.map { loop in
            Task(executorPreference: loop) { if await loop.ready(interest) { interrupt() } }
        }
    }

    deinit { interruption?.cancel() }

    func next() throws -> CInt? {
        try signals.next()
    }

    func nextWithOrigin() throws -> (signal: CInt, isFromKernel: Bool)? {
        try signals.nextWithOrigin()
    }

    /// Waits for a signal.
    func next(on loop: Loop) async throws -> CInt {
        while await loop.ready(interest) { if let signal = try next() { return signal } }
        throw Failure(.cancelled, "the wait for a signal was cancelled")
    }

    /// Throws the failure of a command that a signal has ended, if one has arrived.
    func check() throws {
        guard let signal = try next() else { return }
        interrupt()
        throw CommandFailure.signaled(signal)
    }
}
