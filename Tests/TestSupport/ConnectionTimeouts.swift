package import PasteboardClient

extension ConnectionTimeouts {
    /// Timeouts with which no broker of a busy machine counts as one that does not answer.
    package static var endless: ConnectionTimeouts {
        var timeouts = ConnectionTimeouts()
        timeouts.welcome = 600_000
        timeouts.silence = 600_000
        timeouts.probe = 600_000
        timeouts.answer = 600_000
        return timeouts
    }
}
