import PasteboardWire

package typealias PeerID = SlotTable<Peer>.ID

/// One connection, and the streams that its client has opened. Loads are not among them: `Loads` has a list for each
/// peer.
package struct Peer: ~Copyable, Sendable {
    var access: AccessContext
    let account: Accounting.AccountID
    var phase: PeerPhase
    /// The client's name for itself: shown, never trusted.
    var label = ""
    /// The highest stream id that the client has opened. Ids are never used again.
    var highestStream: UInt64 = 0
    var streams: [UInt64: StreamTarget] = [:]
    /// Whether the peer may send and be sent descriptors.
    var passesDescriptors = false
    /// Whether the results of drops at its destinations are sent to it.
    var receivesDropReports = false
    let connectedAt: UInt64
    var backlog = Backlog()
    /// The reason for which the broker closes the connection.
    var closeReason: String?

    var process: ProcessKey { access.process }

    /// The number of boards and drag sessions that have items of the peer.
    var publicationCount: Int {
        streams.values.count { target in
            switch target {
            case .publication, .drag: true
            default: false
            }
        }
    }

    var isDeaf: Bool {
        switch phase {
        case .silent(_, let isDeaf): isDeaf
        case .ready: false
        case .deaf: true
        }
    }

    /// `"name" (pid 812)`, for messages.
    var name: String { process.name(label: label) }
}

/// The progress of a connection.
enum PeerPhase: BitwiseCopyable {
    /// Hello has not arrived. → ready; deaf if `isDeaf`
    case silent(helloBy: UInt64, isDeaf: Bool)
    /// Requests are answered. → deaf
    case ready
    /// Nothing reaches the peer, but its input still counts. The end of the connection follows.
    case deaf
}

/// A stream of a peer on which a frame was received.
struct PeerStream: BitwiseCopyable {
    let id: UInt64
    let peer: PeerID
    /// The slot of the peer, which exists until the frame is processed.
    let slot: Peers.Slot
}

/// The object of a stream that the client has opened, and that is still open. Streams of loads are not here.
enum StreamTarget: Sendable {
    case write(WriteID)
    /// A committed write: the stream is open until the publication is replaced, cleared or withdrawn.
    case publication(PublicationID)
    /// A drag session of the client, whose items are committed.
    case drag(SessionID)
    case destination(DestinationID)
    case watch(WatchID)
    /// The name of a board that the client has created.
    case board(String)
    /// A list or a status of which a part has been sent.
    case report(Report)
}

extension ProcessKey {
    func name(label: String) -> String {
        label.isEmpty ? "pid \(pid)" : "\"\(label)\" (pid \(pid))"
    }
}
