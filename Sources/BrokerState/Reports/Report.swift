/// A list or a status that is sent piece by piece, as fast as the peer reads. So the memory and the time that it takes
/// do not depend on the size of what it describes.
struct Report: Sendable {
    enum Position: Sendable {
        /// The items of a publication from this one on. The report holds the publication, so the list is consistent.
        case items(of: PublicationID, from: Int)
        // The parts of a status, in this order. Each piece describes the broker at its own time.
        case peers(after: Peers.Slot?)
        /// Boards by name. Those that are empty by then are left out.
        case boards([String], from: Int)
        case loads(after: Loads.Slot?)
        case sessions(after: SlotTable<DragSession>.Slot?)
        /// Destinations by name.
        case destinations([String], from: Int)
        case processes(after: SlotTable<Accounting.Account>.Slot?)
        /// The connections that ended last, and the counters and limits.
        case rest
    }

    let stream: UInt64
    var position: Position
    /// Whether a status also shows what has happened.
    var hasHistory = false
}
