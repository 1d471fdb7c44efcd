import PasteboardWire

package typealias VisitID = SlotTable<Visit>.ID

extension VisitID {
    /// The stream that the broker opens to the destination: told from those of asks by bit 31, which no slot of these has.
    var stream: UInt64 { UInt64(self.generation) << 32 | 1 << 31 | UInt64(self.slot) << 1 }

    /// nil for the stream of an ask.
    init?(stream: UInt64) {
        guard stream & (1 << 31 | 1) == 1 << 31 else { return nil }
        self.init(
            slot: (UInt32(truncatingIfNeeded: stream) & 0x7FFF_FFFF) >> 1,
            generation: UInt32(truncatingIfNeeded: stream >> 32)
        )
    }
}

/// A drag session at a destination.
package struct Visit: Sendable {
    let session: SessionID
    let destination: DestinationID
    /// Held by who has caused it: the session's source, mostly.
    let charge: Charge
    /// The version, the items and the bytes of names and types that the destination has been told; none before the stream
    /// is open.
    var toldVersion: UInt64 = 0
    var toldItems = 0
    var toldMetadata: UInt64 = 0
    /// How many items have been looked at for a type that it takes, and whether there was one.
    var checkedItems = 0
    var isWanted = false
    /// The destination takes none of the items of this version.
    var declinedVersion: UInt64?
    /// The session is over it, as far as it has been told.
    var isInside = false
    /// The number of its last ask.
    var sequence: UInt64 = 0
    /// That ask, until it is answered: there is never a second.
    var owed: UInt64?
    /// Whether its time has passed.
    var isLate = false

    var isOpen: Bool { self.toldVersion > 0 }
}
