/// The longest times in milliseconds for which a client waits for its broker.
///
/// The broker itself ends each load at a deadline, so only a broker that hangs or is stopped is silent for long. A load
/// that waits for its turn may be silent, too. So the client sends a probe before it ends the connection.
package struct ConnectionTimeouts: Sendable, Equatable {
    /// The time from connecting to the welcome.
    package var welcome = 5_000
    /// The time from the last bytes of the broker to the probe.
    package var silence = 10_000
    /// Whether a probe is sent after the time of `silence` in any case, so that each side hears from the other.
    package var probesIdle = false
    /// The time from the probe to the end of the connection.
    package var probe = 5_000
    /// The time from a request for a list, a status, a clear or the end of the broker to the complete answer. A load
    /// has the deadlines of the broker and of its caller.
    package var answer = 60_000

    package init() {}
}
