/// The loads of one peer, as a destination and as a source.
struct PeerLoads: ~Copyable, Sendable {
    let process: ProcessKey
    /// `"name" (pid 812)`, for messages.
    var name: String
    /// Whether the peer may send and be sent descriptors.
    var passesDescriptors = false

    // As a destination.

    /// The newest load that is not over, the head of a list: each load refers to the next older one. A connection has a
    /// limited number of them, so a linear search by stream, for a cancel or a credit, is fast enough.
    var newest = LoadID.none
    /// The number of these, and of those that are over but have bytes that wait for the socket.
    var openLoads = 0
    /// The bytes of its loads that are over.
    var receivedBytes: UInt64 = 0

    // As a source.

    var places: Places
    /// The latest known time when the peer sent a byte of a load or finished one.
    var servedAt: UInt64 = 0
    /// The bytes that it has sent for loads that are over.
    var sentBytes: UInt64 = 0

    var isBusy: Bool { openLoads > 0 || !places.isUnused }
}
