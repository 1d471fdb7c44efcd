/// The loads of one peer, as a destination and as a source.
struct Endpoint: ~Copyable, Sendable {
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

/// The bytes of all loads that are on their way.
struct TransferPool: Sendable {
    private(set) var used: UInt64 = 0

    func free(_ limits: borrowing BrokerLimits) -> UInt64 {
        limits.transferPool - min(limits.transferPool, used)
    }

    /// Takes room. Once the pool is full, destinations that do not read are looked for.
    mutating func occupy(_ count: UInt64, _ context: inout BrokerContext) {
        used += count
        if free(context.limits) == 0 { context.check(in: context.limits.progress) }
    }

    mutating func release(_ count: UInt64) {
        used -= min(used, count)
    }
}
