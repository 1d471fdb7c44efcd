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
    /// `terms` of a write: flags, expiry and the number of loads.
    case terms = 5
    /// Watches of boards.
    case watches = 6
    /// `handle` of a write: additions to the client's own contents.
    case additions = 7
    /// Boards that the broker names, and the removal of boards.
    case boards = 8
    /// `keeps_promises` of a write: bytes for promises of the client's own contents.
    case handOver = 9
    /// `reclaims_change_count` and `reclaims_epoch` of a write, and `if_epoch` of a write or clear: contents that come
    /// back after a lost connection.
    case reclaim = 10
    /// `evicts_nothing` of a write: it clears no contents of others to make room.
    case eviction = 11
    /// `all_boards` of a watch.
    case allBoards = 12
    /// A descriptor without use is passed with `welcome`: the client finds out whether descriptors arrive.
    case probe = 13
    /// `origin` of writes, clears and the answers to links and bridges, `sees_concealed` and `carries_origins` of
    /// hello, `destinations` of a watch.
    case links = 14

    /// Throws unless every number is known here.
    ///
    /// - Parameter needed: the feature of a restricting field of the request. It must be among the numbers, so that no
    ///   receiver that does not know the field ignores it.
    package static func check(_ requires: [UInt32], for needed: Feature? = nil) throws(Failure) {
        for number in requires where Feature(rawValue: number) == nil {
            throw Failure(
                .versionMismatch,
                "the request requires feature \(number), which this broker does not have; update the broker"
            )
        }
        if let needed, !requires.contains(needed.rawValue) {
            throw Failure(.invalidArgument, "the field for \(needed) requires feature \(needed.rawValue) in `requires`")
        }
    }
}
