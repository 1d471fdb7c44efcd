import FoundationEssentials
import PasteboardClient
import PasteboardWire

/// Bytes of a write that are being sent: a chunk of a kept representation, or its end.
struct OutgoingBytes: Sendable {
    let stream: UInt64
    let data: Data
    /// Whether the representation ends with these bytes.
    let isLast: Bool
    /// Adds the frames that follow directly, without a moment in which others could be sent on the stream: the next
    /// item or the commit.
    let next: (@Sendable (inout ClientState) throws(Failure) -> Void)?
    /// Resolved when the socket has taken the bytes, or when the write has ended.
    let result = PendingResult<Void>()
    /// The number of bytes that were sent.
    var sent = 0

    init(
        _ data: Data,
        on stream: UInt64,
        isLast: Bool = false,
        next: (@Sendable (inout ClientState) throws(Failure) -> Void)? = nil
    ) {
        self.stream = stream
        self.data = data
        self.isLast = isLast
        self.next = next
    }
}
