import PasteboardTransport

/// A number of bytes that several writes may send together.
final class ByteBudget: Sendable {
    private let limit: Int64
    private let left: Lock<Int64>

    init(_ limit: Int64) {
        self.limit = max(0, limit)
        left = Lock(max(0, limit))
    }

    /// Takes `count` bytes.
    ///
    /// - Throws: `too-large` if fewer are left.
    func take(_ count: Int64) throws(PasteboardError) {
        let isCovered = left.withLock { left in
            guard count <= left else { return false }
            left -= count
            return true
        }
        guard isCovered else {
            throw PasteboardError(.tooLarge, message: "the bytes exceed the limit of \(limit) bytes of the hand-over")
        }
    }

    /// Returns bytes that were taken for a write that has failed.
    func giveBack(_ count: Int64) {
        left.withLock { $0 += count }
    }
}
