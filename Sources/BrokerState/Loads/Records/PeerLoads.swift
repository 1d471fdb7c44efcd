/// The loads of one peer, as a destination and as a source.
struct PeerLoads: ~Copyable, Sendable {
    let process: ProcessKey
    /// `"name" (pid 812)`, for messages.
    var name: String
    /// Whether descriptors may go to the peer and come from it.
    var passesDescriptors = false

    // As a destination.

    /// Loads that are not over, in no order; each knows its index. There are no more than a connection may have, so that
    /// finding one by its stream, for a cancel or a credit, is a short walk.
    var loads: [LoadID] = []
    /// These, and those that are over but have bytes that wait for the socket.
    var openLoads = 0

    // As a source.

    /// Loads that the peer is asked for now, and the number that it takes at once.
    var openAsks = 0
    var maximumAsks: Int
    var queue = SourceQueue()
    /// The latest known time when the peer sent a byte of a load or finished one.
    var servedAt: UInt64 = 0

    var mayBeAsked: Bool { openAsks < maximumAsks }
    var isBusy: Bool { openLoads > 0 || openAsks > 0 || !queue.isEmpty }
}
