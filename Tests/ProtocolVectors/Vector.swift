/// A documented test of rules: frames and their outcome.
package struct Vector: Sendable {
    package enum Outcome: Sendable, Equatable {
        /// All connections continue.
        case open
        /// A frame: the payload is equivalent to this one.
        case means([UInt8])
        /// The frame's payload is malformed; its kind decides whether the stream or the connection ends.
        case malformed(String)
        /// The receiver of the last frame ends the connection, with this code in an `error` on stream 0.
        case violation(String)
        /// A frame: the receiver skips it.
        case ignored
        /// A client's program ends with status 0, after it has written these bytes.
        case done([UInt8])
        /// A client's program ends with another status.
        case failed
    }

    /// The numbers of the rules, such as "F3".
    package let rules: [String]
    package let title: String
    /// The name of its file, and the line in it.
    package let file: String
    package let line: Int
    package internal(set) var frames: [VectorFrame] = []
    package internal(set) var outcome = Outcome.open
    /// Whether only the state of the project's broker can play the exchange, with limits and processes as follow.
    package internal(set) var isInternal = false
    package internal(set) var limits: [String: String] = [:]
    package internal(set) var processes: [String: UInt32] = [:]
    /// The verb that a client's program is run with, and its input.
    package internal(set) var verb: String?
    package internal(set) var input: [UInt8] = []

    /// The vector at another line, with another title.
    func variant(titled title: String, line: Int) -> Vector {
        var variant = Vector(rules: rules, title: title, file: file, line: line)
        (variant.isInternal, variant.limits, variant.processes) = (isInternal, limits, processes)
        return variant
    }
}
