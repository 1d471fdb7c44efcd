/// The way in which a broker ends.
package enum Ending: BitwiseCopyable, Sendable {
    case none
    /// Loads that have bytes, and drops, may finish until a time in milliseconds.
    case draining(until: UInt64)
    /// Another broker takes over. Loads that have bytes, and drops, may finish.
    case takeover

    /// Whether the broker begins nothing any more.
    package var isDraining: Bool { if case .none = self { false } else { true } }
    package var isTakeover: Bool { if case .takeover = self { true } else { false } }
}
