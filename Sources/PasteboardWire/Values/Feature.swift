/// The features that hello may negotiate or a request may require. A request that lists a number its receiver does not
/// know is refused with `version-mismatch`, because a field that restricts a request must never be ignored.
package enum Feature: UInt32, Sendable, CaseIterable {
    /// `if_change_count` of a write, load or clear.
    case condition = 1
    /// Bytes that already are in a file or a memory file are passed as its descriptor.
    case descriptors = 2
    /// `policy` of a representation: the source is asked once, and the broker keeps the bytes.
    case onceAndKept = 3
    /// After a drop: `progress` from the destination, and `transferred` to it.
    case dropReports = 4

    /// Throws unless every number is known here.
    package static func check(_ requires: [UInt32]) throws(Failure) {
        for number in requires where Feature(rawValue: number) == nil {
            throw Failure(
                .versionMismatch,
                "the request requires feature \(number), which this broker does not have; update the broker"
            )
        }
    }
}
