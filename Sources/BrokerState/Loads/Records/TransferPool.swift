/// The bytes in transfer of all loads.
struct TransferPool: Sendable {
    private(set) var used: UInt64 = 0

    /// - Parameter limit: the limit `transfer-pool`.
    func free(of limit: UInt64) -> UInt64 {
        limit - min(limit, used)
    }

    /// Takes room. Once the pool is full, the deadlines are checked for destinations that do not read.
    mutating func occupy(_ count: UInt64, _ context: inout BrokerContext) {
        used += count
        if free(of: context.limits.transferPool) == 0 { context.check(in: context.limits.progress) }
    }

    mutating func release(_ count: UInt64) {
        used -= min(used, count)
    }
}
