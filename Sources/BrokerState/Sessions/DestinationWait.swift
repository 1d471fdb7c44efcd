import PasteboardWire

package typealias WaitID = SlotTable<DestinationWait>.ID

/// A request that is answered once there is a destination of a name.
package struct DestinationWait: Sendable {
    let peer: PeerID
    let stream: UInt64
    let name: String
    /// The drag session that waits.
    let session: SessionID?
    let milliseconds: UInt64
    let endsBy: UInt64
    let charge: Charge
}
