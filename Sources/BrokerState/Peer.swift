import PasteboardWire

package typealias PeerID = SlotTable<Peer>.ID

/// One connection and what the broker holds for it.
package struct Peer: Sendable {
    var viewer: Viewer
    let account: Accounting.AccountID
    /// Set until hello has come.
    var helloDeadline: UInt64?
    /// Nothing reaches it any more, though what it has sent is still coming.
    var isDeaf = false
    /// What it calls itself: shown, never trusted.
    var label = ""
    /// The highest stream id that it has opened: ids are never used again.
    var highestStream: UInt64 = 0
    /// Writes and publications by the stream that opened them.
    var streams: [UInt64: ClientStream] = [:]
    /// Its loads that are not over, in no order; each knows its place here. No more than a connection may have, so that
    /// to look one up by its stream, which only a cancel and credit do, is a short walk.
    var loads: [RouteID] = []
    /// These, and those that are over but have bytes that wait for the socket.
    var openLoads = 0
    /// Whether descriptors may go to it and come from it.
    var passesDescriptors = false
    /// Whether the results of drops at its destinations are sent to it.
    var hearsOfDrops = false
    /// Loads that it is asked for now, how many it takes at once, and those that wait for their turn.
    var openAsks = 0
    var maximumAsks: Int
    var waitingAsks = AskQueue()
    /// When it was last known to have given a byte of a load, or was through with one.
    var servedAt: UInt64 = 0
    var publications = 0
    var backlog = Backlog()

    var process: ProcessKey { self.viewer.process }

    var mayBeAsked: Bool { self.openAsks < self.maximumAsks }

    /// `"name" (pid 812)`, for messages.
    var name: String {
        self.label.isEmpty ? "pid \(self.process.pid)" : "\"\(self.label)\" (pid \(self.process.pid))"
    }
}

/// What a stream that the client opened, and that is still open, stands for, unless it is a load.
enum ClientStream: Sendable {
    case write(WriteID)
    /// A committed write: the publication's life.
    case publication(PublicationID)
    /// A drag session of its own that has items.
    case drag(SessionID)
    case destination(DestinationID)
    /// A wait for a destination.
    case wait(WaitID)
}
