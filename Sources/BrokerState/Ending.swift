/// The way in which a broker ends.
package enum Ending: BitwiseCopyable, Sendable {
    case none
    /// Loads that have bytes, and drops, may finish until a time in milliseconds.
    case draining(until: UInt64)
    /// Another broker takes over. It has to listen at the path until a time in milliseconds; connections wait there.
    case takeover(until: UInt64)
    /// Another broker listens at the path. Loads that have bytes, and drops, may finish.
    case succeeded

    /// Whether the broker begins nothing any more.
    package var isDraining: Bool { if case .none = self { false } else { true } }
    package var isTakeover: Bool {
        switch self {
        case .takeover, .succeeded: true
        case .none, .draining: false
        }
    }
}
