/// Sizes that are part of the protocol: both sides check them before they allocate anything.
@usableFromInline package enum WireLimits {
    /// Payload bytes of a control frame, which is any frame other than a data frame.
    @inlinable package static var controlLength: Int { 64 << 10 }
    /// Payload bytes of a data frame.
    @inlinable package static var dataLength: Int { 256 << 10 }
    /// Payload bytes of a data frame while several streams are open to the same peer, so that none waits long.
    @inlinable package static var sharedDataLength: Int { 64 << 10 }
    /// Payload bytes before hello is complete.
    package static let helloLength = 4 << 10
    /// Payload bytes of the answer to hello, which may be an error.
    package static let welcomeLength = 8 << 10
    /// Payload bytes of a frame that passes a descriptor.
    package static let descriptorFrameLength = 4 << 10
    /// The size up to which kept bytes are sent inline even if a descriptor is welcome, because that is faster.
    package static let inlineLength: UInt64 = 64 << 10
    /// Payload bytes of an item within a write. In the answer to a list the item has up to 1 KiB more, and must still
    /// fit a frame.
    package static let itemLength = 60 << 10
    /// Bytes of UTF-8 in a type identifier.
    package static let typeIdentifier = 512
    /// Bytes of UTF-8 in a suggested name, a board's name and a peer's label.
    package static let name = 255
    /// Bytes of an error's text and of its detail.
    package static let errorText = 1 << 10
    package static let errorDetail = 4 << 10
    /// Items of one publication.
    package static let items = 512
    /// Representations of one item.
    package static let representations = 64
    /// Supertypes that a publisher may send with one type.
    package static let supertypes = 64
    /// Entries of an accept list, and types that a destination may send supertypes for.
    package static let accepts = 64
    /// Bytes of an item's team data.
    package static let teamData = 8 << 10
    /// Bytes of UTF-8 in an item's title.
    package static let title = 1 << 10
    /// Groups that a hello may name; each token has at most `name` bytes.
    package static let groups = 8
    /// Bytes of UTF-8 in the path of a file that is passed in place.
    package static let path = 2 << 10
    /// Numbers in an index path.
    package static let indexPath = 16
    /// Brokers through which contents may come, with the one where they were written.
    package static let originPath = 16
    /// Boards that an answer to a write may name as cleared.
    package static let clearedBoards = 64
    /// Features that a hello or a request may list.
    package static let features = 64
    /// The time after a broker's start in which clients write their contents again (Y22), in milliseconds.
    package static let settlingTime: UInt64 = 2_000
}

extension UInt64 {
    /// The sum, or the greatest number if the sum is greater. Arithmetic on a peer's lengths, offsets and times must
    /// not trap.
    @inlinable
    package func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
