import PasteboardWire

package typealias DestinationID = SlotTable<StoredDestination>.ID

/// A place where drag sessions can be dropped.
package struct StoredDestination: Sendable {
    /// Sessions at once where more than one is allowed.
    static let maximumSessions = 64

    let peer: PeerID
    let stream: UInt64
    let name: String
    let types: [String]
    let accepts: AcceptedTypes
    let isOwnProcess: Bool
    let allowsSimultaneousSessions: Bool
    let charge: Charge
    /// All that have come to it and are not over.
    var visits: Set<VisitID> = []
    /// Those that have entered, and have the place until they are over.
    var occupants: Set<VisitID> = []

    var capacity: Int { self.allowsSimultaneousSessions ? Self.maximumSessions : 1 }
}
