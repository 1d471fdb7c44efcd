import PasteboardWire

package typealias WaitID = SlotTable<DestinationWait>.ID

/// A request that is answered once a destination with a given name is registered.
package struct DestinationWait: ~Copyable, Sendable {
    let peer: PeerID
    let process: ProcessKey
    let stream: UInt64
    let name: String
    /// The drag session that waits; nil for a wait without a drag.
    let session: SessionID?
    let milliseconds: UInt64
    let endsBy: UInt64
    let charge: Charge
}
