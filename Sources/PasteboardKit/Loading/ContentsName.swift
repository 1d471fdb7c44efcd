/// The names of listed contents in the request of a load.
struct ContentsName: Sendable {
    /// The handle, which has a meaning only for the connection over which the contents were listed; nil at any other.
    let handle: UInt64?
    /// The board and its change count, which name the contents at each broker; nil for those of a drag session, which
    /// end with the connection.
    var board: (name: String, changeCount: UInt64)?

    /// The name at the next broker; nil if the contents have ended with this one.
    var atNextBroker: ContentsName? { board.map { ContentsName(handle: nil, board: $0) } }
}
