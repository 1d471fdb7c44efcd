import PasteboardWire

package typealias WriteID = SlotTable<PendingWrite>.ID

/// A write between `write` and `commit`: invisible, and gone without a trace if its writer goes.
package struct PendingWrite: Sendable {
    /// What its items become.
    enum Target: Sendable {
        case board(String, ifChangeCount: UInt64?)
        /// A drag session of its own.
        case session(Drag)
        case addition(to: SessionID)
    }

    let peer: PeerID
    let stream: UInt64
    let target: Target
    /// When something of it last came: it reserves room from others, so it does not stand for long.
    var activeAt: UInt64
    var items: [StoredItem] = []
    /// Charged as it grows: a write that never commits is held like any other.
    var charge: Charge
    var metadata: UInt64 { self.charge.amount.metadata }
    /// Kept representations of the newest item whose bytes are still to come, in order.
    var awaited: ArraySlice<KeptID> = []

    var keptBytes: [KeptID] {
        self.items.flatMap { $0.representations.compactMap(\.kept) }
    }
}
