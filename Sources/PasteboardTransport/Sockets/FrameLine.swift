/// A line about a frame: the time, the direction and the text.
///
/// The time is that of libwayland's `WAYLAND_DEBUG`: the milliseconds and microseconds of the wall clock, modulo 2^32
/// microseconds. So the lines of several processes, and those about the display, can be put in order.
package struct FrameLine: Sendable {
    package enum Direction: String, Sendable {
        case toBroker = "->"
        case fromBroker = "<-"
        /// A wait, and no frame.
        case wait = "--"
    }

    /// The line, without a newline.
    package let text: String

    /// - Parameter peer: the name of the connection, if there may be several.
    package init(peer: String? = nil, _ direction: Direction, _ text: String) {
        let time = UInt32(truncatingIfNeeded: WallClock.microseconds())
        let milliseconds = Self.padded(time / 1_000, with: " ", to: 7)
        let start = "[\(milliseconds).\(Self.padded(time % 1_000, with: "0", to: 3))] "
        self.text = start + (peer.map { "\($0) " } ?? "") + "\(direction.rawValue) \(text)"
    }

    /// The line, with a newline.
    package var line: String { text + "\n" }

    private static func padded(_ number: UInt32, with character: Character, to width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: character, count: max(0, width - digits.count)) + digits
    }
}
