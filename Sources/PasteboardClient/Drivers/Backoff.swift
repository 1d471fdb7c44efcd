import PasteboardTransport
import PasteboardWire

/// The delays between the attempts of a client to connect again after it has lost its broker.
///
/// They begin at 10 ms, and double up to 30 s. Each is shortened at random by up to a half, so that the clients of a broker
/// that has ended do not all come at the same moment. They begin anew after a long time without an attempt, and not with a
/// connection that was made: a broker that ends as soon as its clients are back must not be started without a pause.
package struct Backoff: Sendable {
    /// The first delay, in milliseconds.
    package static let first = 10
    /// The longest delay, in milliseconds.
    package static let longest = 30_000
    /// The time without an attempt after which the delays begin anew, in milliseconds.
    package static let calm = 2 * longest

    private var next = Backoff.first
    /// The end of the last delay.
    private var last: UInt64?

    package init() {}

    /// The delay before the next attempt, in milliseconds.
    ///
    /// - Parameters:
    ///   - now: the time in nanoseconds (see `MonotonicClock`).
    ///   - random: a number from 0 to 1, which shortens the delay by up to a half.
    package mutating func delay(at now: UInt64, random: Double) -> Int {
        if let last, now > last, (now - last) / 1_000_000 >= UInt64(Self.calm) { next = Self.first }
        let delay = max(1, next - Int(Double(next) / 2 * min(max(random, 0), 1)))
        next = min(2 * next, Self.longest)
        last = now.addingClamped(UInt64(delay) * 1_000_000)
        return delay
    }

    /// The delay before the next attempt, from now on.
    package mutating func delay() -> Int {
        delay(at: MonotonicClock.now(), random: .random(in: 0...1))
    }
}
