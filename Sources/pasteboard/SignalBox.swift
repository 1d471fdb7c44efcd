import PasteboardTransport

/// A reference to a signal descriptor, so that it can be shared and optional.
final class SignalBox {
    private let signals: SignalDescriptor

    var raw: CInt { signals.raw }

    init(_ signals: [CInt]) throws {
        self.signals = try SignalDescriptor(signals)
    }

    func next() throws -> CInt? {
        try signals.next()
    }

    /// Throws the failure of a command that a signal has ended, if one has arrived.
    func check() throws {
        if let signal = try next() { throw CommandFailure.signaled(signal) }
    }
}
