/// How long a broker may be silent while it owes something, in milliseconds.
///
/// The broker itself ends every load by a deadline, so only a broker that hangs or was stopped is silent for long. It is
/// then asked for a sign of life before it is given up, because a load that waits for its turn may be silent too.
package struct ConnectionTimeouts: Sendable, Equatable {
    /// From connecting to welcome.
    package var welcome = 5_000
    /// From the last sign of life to the question.
    package var silence = 10_000
    /// From the question to giving up.
    package var probe = 5_000

    package init() {}
}
