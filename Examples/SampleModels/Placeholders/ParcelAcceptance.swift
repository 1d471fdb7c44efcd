public import FoundationEssentials
public import PasteboardKit
public import TableDragAndDrop

/// The rules of a table of `placeholders`: which drops it accepts, which operation it proposes, and how each item
/// arrives.
public enum ParcelAcceptance {
    /// The way in which an item arrives.
    public enum Arrival: Sendable, Equatable {
        /// As a row of the table itself: the row moves.
        case row(IndexPath)
        /// As an object of this process: it is handed over.
        case local(Parcel)
        /// As bytes that have to be loaded while a placeholder is shown.
        case bytes
        /// Not accepted: it was a row of this table, but its index is no longer known. It stays in its row.
        case never
    }

    /// Whether the table accepts a session: its items must be available as text.
    public static func canHandle(_ session: any DropSession) -> Bool {
        session.canLoad(String.self)
    }

    /// The proposal: the table's own rows are rearranged, all others are copied.
    public static func proposal(hasActiveDrag: Bool) -> TableDropProposal {
        TableDropProposal(operation: hasActiveDrag ? .move : .copy, intent: .insertAtDestinationIndexPath)
    }

    /// The way in which an item arrives.
    ///
    /// - Parameters:
    ///   - source: the row of this table that the item stands for; nil if there is none or if rows have changed since.
    ///   - local: the object that the source has attached to the item. It is evaluated only if it is used, because
    ///     reading it counts as taking the item.
    ///   - isOwn: whether the item was dragged from this table. If such a row arrived in another way, the table would
    ///     have it twice.
    public static func arrival(source: IndexPath?, local: @autoclosure () -> Any?, isOwn: Bool) -> Arrival {
        if let source { return .row(source) }
        if isOwn { return .never }
        if let parcel = local() as? Parcel { return .local(parcel) }
        return .bytes
    }
}
