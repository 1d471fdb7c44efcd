import PasteboardWire

package typealias DestinationID = SlotTable<StoredDestination>.ID

/// A registered destination: a name to which drag sessions can be directed.
package struct StoredDestination: ~Copyable, Sendable {
    /// The maximum number of sessions at once if more than one is allowed.
    static let maximumSessions = 64

    let peer: PeerID
    let stream: UInt64
    let access: AccessContext
    /// The name of the process, for messages.
    let ownerName: String
    let label: String
    let name: String
    /// The accepted types, for the status; empty if the destination accepts any.
    let types: [String]
    let accepts: AcceptList
    /// Whether only sessions of its own process may enter it.
    let isOwnProcess: Bool
    let allowsSimultaneousSessions: Bool
    /// Whether the destination's process receives the results of drops.
    let receivesResults: Bool
    let charge: Charge
    /// All destination sessions that are not over.
    var sessions: Set<DestinationSessionID> = []
    /// The destination sessions that have entered. Each occupies the destination until it is over.
    var occupants: Set<DestinationSessionID> = []

    init(_ message: Destination, of owner: Participant, types: [String], stream: UInt64, charge: Charge) {
        peer = owner.peer
        self.stream = stream
        access = owner.access
        ownerName = owner.name
        label = owner.label
        name = message.name
        self.types = types
        accepts = AcceptList(message.accepts)
        isOwnProcess = message.isOwnProcess ?? false
        allowsSimultaneousSessions = message.allowsSimultaneousSessions ?? false
        receivesResults = owner.receivesResults
        self.charge = charge
    }

    var process: ProcessKey { access.process }

    /// Sends the destination's process a message on the stream of the destination, or of a session there.
    func send(_ message: some WireMessage, on stream: UInt64? = nil, _ context: inout BrokerContext) {
        context.send(message, to: peer, stream: stream ?? self.stream)
    }

    var capacity: Int { allowsSimultaneousSessions ? Self.maximumSessions : 1 }

    func hasRoom(for session: DestinationSessionID) -> Bool {
        occupants.contains(session) || occupants.count < capacity
    }

    /// Whether sessions of `process` may enter this destination.
    func isVisible(to process: ProcessKey) -> Bool { !isOwnProcess || process == self.process }
}
