import PasteboardWire

package typealias WriteID = SlotTable<PendingWrite>.ID

/// A write between `write` and `commit`. Nothing of it is visible, and nothing of it remains if its writer disconnects.
package struct PendingWrite: ~Copyable, Sendable {
    /// The object that receives the items.
    enum Target: Sendable {
        /// A board, whose contents the write replaces, or the contents that come back under the change count that they
        /// had. Those of a link have an origin.
        case board(String, BoardCondition?, reclaims: BoardCount?, BoardOrigin?)
        /// A new drag session.
        case session(Drag)
        case addition(to: SessionID)
        /// Contents of a board that the same connection has written. Kept representations may take the place of their
        /// promises.
        case contents(PublicationID, BoardCondition?, keepsPromises: Bool)
    }

    let peer: PeerID
    let stream: UInt64
    let target: Target
    /// The terms of the new contents, which the broker has checked.
    let terms: ContentTerms?
    /// Whether its bytes, or those of the contents to which it adds, are secret.
    let isConcealed: Bool
    /// Whether it fails instead of clearing boards of processes that have ended.
    let evictsNothing: Bool
    /// The time of the last progress. A write reserves room that others could use, so it has to make progress.
    var activeAt: UInt64
    var items: [StoredItem] = []
    /// The bytes of names and types of each item; empty unless the items are added to contents.
    var itemMetadata: [UInt64] = []
    /// Grows with the items: a write that is never committed is charged like any other.
    var charge: Charge
    /// Kept representations of the newest item whose bytes have not all arrived, in order.
    var awaited: ArraySlice<KeptID> = []

    var metadata: UInt64 { charge.amount.metadata }

    var keptBytes: [KeptID] {
        items.flatMap { $0.representations.compactMap(\.kept) }
    }

    /// Whether some bytes are kept, or will be when they have been loaded.
    var keepsBytes: Bool {
        items.contains { item in item.representations.contains { $0.kept != nil || $0.isKeptOnce } }
    }

    func checkNothingAwaited() throws(Failure) {
        guard awaited.isEmpty else {
            throw Failure(
                .protocolViolation,
                "\(awaited.count) kept representations of item \(items.count) have not been sent completely"
            )
        }
    }
}
