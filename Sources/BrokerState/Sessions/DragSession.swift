import PasteboardWire

package typealias SessionID = SlotTable<DragSession>.ID

/// One drag session: whose it is, where it is, and what has become of its drop.
///
///     offered ─begin─▶ tracking ─drop, copy or an allowed move─▶ dropping ─performed─▶ transferring ─▶ over
///        └────────────────┴──── everything else that ends it: nothing is transferred ────▶ over
package struct DragSession: Sendable {
    enum Phase: Sendable {
        /// Its items are there; nobody hears of it yet.
        case offered
        case tracking
        /// The window is open: its destination may begin loads.
        case dropping
        /// Loads that have begun go on.
        case transferring
    }

    let source: PeerID
    /// The source's stream that is the session's life.
    let stream: UInt64
    let publication: PublicationID
    let allowsMove: Bool
    /// Whether it is for destinations of the source's process alone.
    let isRestricted: Bool
    let movesBetweenProcesses: Bool
    let startedAt: UInt64
    /// When something last happened to it.
    var activeAt: UInt64
    /// Counts the times that items were given.
    var version: UInt64 = 1
    var phase = Phase.offered
    /// At all destinations that it has come to.
    var visits: [DestinationID: VisitID] = [:]
    /// The source's last move, which a proposal answers.
    var lastMove: UInt64 = 0
    /// Where it is; nil over nothing.
    var hover: Hover?
    /// Where its source has directed it and nobody took what there was: asked again when items are added.
    var declinedPlace: Location?
    /// Whether it is where its source has directed it, and not where a destination took it.
    var isDirected = true
    /// The number of waits of its source for destinations to which it can be directed.
    var waits = 0
    /// How often a destination has taken it upon itself.
    var uninvited: UInt64 = 0
    /// Whether its source has let go and waits for the proposal that counts.
    var isLifting = false
    /// Since it was dropped on somebody.
    var drop: SessionDrop?

    /// A session over a destination.
    struct Hover: Sendable {
        let visit: VisitID
        var location: Location
        /// The number of the ask that the destination has not answered; nil while it has, or an older one is in the way.
        var asked: UInt64?
        /// The move and the items that were asked about.
        var askedMove: UInt64 = 0
        var askedVersion: UInt64 = 0
        /// Whether the destination has to be asked again: it has moved, or has other items.
        var isStale = true
        /// Since when an answer is waited for.
        var since: UInt64
        var proposal: Standing?

        var isAwaiting: Bool { self.asked != nil || self.isStale }
    }

    /// What a drop would do, as far as it holds, and for which items.
    struct Standing: Sendable {
        let operation: DropOperation
        let version: UInt64
    }
}

enum DropOperation: UInt32, Sendable {
    case cancel = 0
    case forbidden = 1
    case copy = 2
    case move = 3

    var transfers: Bool { self == .copy || self == .move }
}
