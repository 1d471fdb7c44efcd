import PasteboardWire

package typealias DestinationSessionID = SlotTable<DestinationSession>.ID

extension DestinationSessionID {
    /// The stream that the broker opens to the destination.
    var stream: UInt64 { StreamID(destinationSessionSlot: slot, generation: generation).rawValue }

    /// nil for the stream of an ask.
    init?(stream: UInt64) {
        let stream = StreamID(stream)
        guard stream.isDestinationSession else { return nil }
        self.init(slot: stream.destinationSessionSlot, generation: stream.generation)
    }
}

/// One destination's view of a drag session. Its `phase` is documented at ``DestinationSessionPhase``.
package struct DestinationSession: ~Copyable, Sendable {
    let session: SessionID
    let destination: DestinationID
    /// The charge to the source's process.
    let charge: Charge
    var phase = DestinationSessionPhase.unannounced
    var announced = Announced()
    /// The number of items that were compared with the accepted types, and whether one of them is accepted.
    var checkedItems = 0
    var isAcceptable = false
    /// The number of the last question.
    var lastQuestion: UInt64 = 0

    /// The contents that earlier `session` messages have announced. The next message adds to them.
    struct Announced: Sendable {
        var version: UInt64 = 0
        var items = 0
        /// The bytes of names and types.
        var metadata: UInt64 = 0
    }
}
