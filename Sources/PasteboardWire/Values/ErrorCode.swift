/// The reason for a failure: the same number on the wire and in the library. It also determines the command line's exit
/// status.
package struct ErrorCode: WireNumber, Hashable, CustomStringConvertible {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let nothingHere = ErrorCode(rawValue: 1)
    package static let typeUnavailable = ErrorCode(rawValue: 2)
    package static let superseded = ErrorCode(rawValue: 3)
    package static let sourceGone = ErrorCode(rawValue: 4)
    package static let sourceFailed = ErrorCode(rawValue: 5)
    package static let sourceStalled = ErrorCode(rawValue: 6)
    package static let sourceTruncated = ErrorCode(rawValue: 7)
    package static let destinationGone = ErrorCode(rawValue: 8)
    package static let destinationStalled = ErrorCode(rawValue: 9)
    package static let cancelled = ErrorCode(rawValue: 10)
    package static let timeout = ErrorCode(rawValue: 11)
    package static let tooLarge = ErrorCode(rawValue: 12)
    package static let limitExceeded = ErrorCode(rawValue: 13)
    package static let noSpace = ErrorCode(rawValue: 14)
    package static let notPermitted = ErrorCode(rawValue: 15)
    package static let notLoadableNow = ErrorCode(rawValue: 16)
    package static let concealed = ErrorCode(rawValue: 17)
    package static let refused = ErrorCode(rawValue: 18)
    package static let invalidArgument = ErrorCode(rawValue: 19)
    package static let protocolViolation = ErrorCode(rawValue: 20)
    package static let versionMismatch = ErrorCode(rawValue: 21)
    package static let brokerUnavailable = ErrorCode(rawValue: 22)
    package static let brokerRestarted = ErrorCode(rawValue: 23)
    package static let linkDown = ErrorCode(rawValue: 24)
    package static let brokerStopped = ErrorCode(rawValue: 25)

    /// Every code with its name, in the order of the numbers, from 1.
    package static let names = [
        "nothing-here", "type-unavailable", "superseded", "source-gone", "source-failed", "source-stalled",
        "source-truncated", "destination-gone", "destination-stalled", "cancelled", "timeout", "too-large",
        "limit-exceeded", "no-space", "not-permitted", "not-loadable-now", "concealed", "refused",
        "invalid-argument", "protocol-violation", "version-mismatch", "broker-unavailable", "broker-restarted",
        "link-down", "broker-stopped",
    ]

    package var description: String {
        guard rawValue >= 1, rawValue <= UInt32(Self.names.count) else { return "error-\(rawValue)" }
        return Self.names[Int(rawValue) - 1]
    }
}
