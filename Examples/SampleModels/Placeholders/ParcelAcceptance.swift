public import FoundationEssentials
public import PasteboardKit
public import TableDragAndDrop

/// What a table of `placeholders` takes, what it would do with it, and how each item arrives.
public enum ParcelAcceptance {
    /// How an item arrives.
    public enum Arrival: Sendable, Equatable {
        /// It is a row of the table itself: the row moves.
        case row(IndexPath)
        /// It is in this process: it is handed over.
        case local(Parcel)
        /// Its bytes are to be loaded, behind a placeholder.
        case bytes
        /// It does not: it was a row of the table, and nobody knows any more which. It stays there.
        case never
    }

    /// Whether the table takes anything of a session: what can be had as text.
    public static func canHandle(_ session: any DropSession) -> Bool {
        session.canLoadObjects(ofClass: String.self)
    }

    /// What a drop would do: rearrange the table's own rows, take copies of all others.
    public static func proposal(hasActiveDrag: Bool) -> TableDropProposal {
        TableDropProposal(operation: hasActiveDrag ? .move : .copy, intent: .insertAtDestinationIndexPath)
    }

    /// How an item arrives.
    ///
    /// - Parameters:
    ///   - source: the row of this table that it is, unless rows have changed since.
    ///   - local: what the source has attached to it. Asked for only if it is of use: who reads it has taken the item.
    ///   - isOwn: whether it was dragged from this table. Taken as something else such a row would be there twice.
    public static func arrival(source: IndexPath?, local: @autoclosure () -> Any?, isOwn: Bool) -> Arrival {
        if let source { return .row(source) }
        if isOwn { return .never }
        if let parcel = local() as? Parcel { return .local(parcel) }
        return .bytes
    }
}
