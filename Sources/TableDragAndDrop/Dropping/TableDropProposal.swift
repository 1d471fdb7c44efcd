public import PasteboardKit

/// A table's proposal for a session that is dropped at its current location.
public struct TableDropProposal: Sendable, Hashable {
    /// The effect on the row at the session's location.
    public enum Intent: Int, Sendable {
        /// The drop decides. Nothing is shown.
        case unspecified
        /// A new row is inserted. A gap opens.
        case insertAtDestinationIndexPath
        /// The existing row receives the items and is highlighted. After the last row this is the same as
        /// ``unspecified``.
        case insertIntoDestinationIndexPath
        /// Into the row at the location if there is one; as a new row after the last.
        case automatic
    }

    /// The operation of the drop.
    public let operation: DropOperation
    /// The effect on the row at the location.
    public let intent: Intent

    /// Makes a proposal.
    public init(operation: DropOperation, intent: Intent = .unspecified) {
        self.operation = operation
        self.intent = intent
    }

    /// Makes the proposal of a view whose delegate makes none.
    init(default session: any DropSession) {
        self.init(operation: session.localDragSession != nil && session.allowsMoveOperation ? .move : .copy)
    }

    /// Whether a drop would insert a row at the session's location.
    var opensGap: Bool {
        switch operation {
        case .copy, .move: intent == .insertAtDestinationIndexPath
        case .cancel, .forbidden: false
        }
    }
}
