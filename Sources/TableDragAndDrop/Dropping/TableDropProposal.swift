public import PasteboardKit

/// What a table would do with a session, were it dropped where it is.
public struct TableDropProposal: Sendable, Hashable {
    /// What becomes of the place that the session is at.
    public enum Intent: Int, Sendable {
        /// It is left to the drop: nothing is shown.
        case unspecified
        /// A row comes there: a gap opens.
        case insertAtDestinationIndexPath
        /// The row there gets the items: it is highlighted. Behind the last row: as ``unspecified``.
        case insertIntoDestinationIndexPath
        /// Into a row if the session is at one, a new row if it is behind the last.
        case automatic
    }

    /// What the drop would do.
    public let operation: DropOperation
    /// Where it would do it.
    public let intent: Intent

    /// Makes a proposal.
    public init(operation: DropOperation, intent: Intent = .unspecified) {
        self.operation = operation
        self.intent = intent
    }
}
