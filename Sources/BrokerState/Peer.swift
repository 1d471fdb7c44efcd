import PasteboardWire

package typealias PeerID = SlotTable<Peer>.ID

/// One connection and what the broker holds for it.
package struct Peer: Sendable {
    let process: ProcessKey
    let account: Accounting.AccountID
    /// Set until hello has come.
    var helloDeadline: UInt64?
    /// What it calls itself: shown, never trusted.
    var label = ""
    /// The highest stream id that it has opened: ids are never used again.
    var highestStream: UInt64 = 0
    var streams: [UInt64: ClientStream] = [:]
    var openLoads = 0
    /// Whether descriptors may go to it and come from it.
    var passesDescriptors = false
    /// Loads that it is asked for now, how many it takes at once, and those that wait for their turn.
    var openAsks = 0
    var maximumAsks: Int
    var waitingAsks: [RouteID] = []
    var publications = 0

    var mayBeAsked: Bool { self.openAsks < self.maximumAsks }

    /// `"name" (pid 812)`, for messages.
    var name: String {
        self.label.isEmpty ? "pid \(self.process.pid)" : "\"\(self.label)\" (pid \(self.process.pid))"
    }
}

/// What a stream that the client opened, and that is still open, stands for.
enum ClientStream: Sendable {
    case load(RouteID)
    case write(WriteID)
    /// A committed write: the publication's life.
    case publication(PublicationID)
}
