/// The bytes of input and output that wait for connections, all together.
///
/// The memory of freed buffers remains with the process, in pieces between others. So it is given back to the system
/// when most of a large number of bytes is gone.
struct HeldBytes {
    private static let large = 4 << 20
    /// In milliseconds. Bytes that pass through quickly must not cause it again and again.
    private static let leastInterval: UInt64 = 250

    private var count = 0
    /// The most since memory was given back.
    private var most = 0
    private var givenBackAt: UInt64?

    /// Returns whether memory should be given back.
    mutating func change(from before: Int, to after: Int, at now: UInt64) -> Bool {
        count += after - before
        most = max(most, count)
        guard most >= Self.large, count <= most / 4 else { return false }
        if let givenBackAt, now < givenBackAt + Self.leastInterval { return false }
        givenBackAt = now
        most = count
        return true
    }
}
