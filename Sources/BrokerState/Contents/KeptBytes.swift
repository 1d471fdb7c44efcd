import PasteboardWire

package typealias KeptID = SlotTable<KeptBytes>.ID

/// Bytes that the broker keeps itself. The driver stores them; this counts and charges them.
package struct KeptBytes: Sendable {
    /// The greatest number of secret bytes in one representation. They are in memory that is overwritten at its end
    /// and never passed, so they cost the broker more than other kept bytes.
    static let concealedLength: UInt64 = 1 << 20

    /// The account of the writer, even after the writer has disconnected.
    var account: Accounting.AccountID
    package internal(set) var count: UInt64 = 0
    /// The announced size. Its room was reserved before the first byte arrived, and more bytes are an error.
    var announced: UInt64?
    /// Bytes of the pool that are reserved.
    var charged: UInt64 = 0
    /// Whether they are secret.
    var isConcealed = false
    /// The source's `content` value.
    var content: ContentForm?
    var fileName: String?
    /// Whether the source has answered the request for them, so that the loads that read them can be answered.
    var isAnnounced = false
    /// False while a source is asked for them, so that more bytes may follow.
    var isWhole = true

    /// The size as far as it is known.
    var size: UInt64? { isWhole ? count : announced }
}
