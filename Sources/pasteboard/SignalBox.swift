import PasteboardTransport

/// A reference to a signal descriptor, so that it can be shared and optional.
final class SignalBox {
    private let signals: SignalDescriptor

    var raw: CInt { signals.raw }

    /// Signals that the process ignores, for example because it was started by `nohup`, are left ignored.
    init(_ signals: [CInt]) throws {
        self.signals = try SignalDescriptor(signals.filter { !System.ignores($0) })
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
