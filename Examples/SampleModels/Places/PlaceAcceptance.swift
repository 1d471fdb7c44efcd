public import FoundationEssentials
public import PasteboardKit
public import TableDragAndDrop

/// The rules of the table of `places`: which drops it accepts and which operation it proposes.
public struct PlaceAcceptance: Sendable {
    /// The strictness of the rules.
    public enum Policy: String, Sendable, CaseIterable {
        /// One item at a time. A row of the table itself is accepted only while the user is editing.
        case strict
        /// Any number of items. A row of the table itself is always accepted.
        case permissive
    }

    /// The strictness of the rules.
    public let policy: Policy

    /// Makes the rules.
    public init(_ policy: Policy) {
        self.policy = policy
    }

    /// Whether the table accepts a session: its items must be available as text.
    public func canHandle(_ session: any DropSession) -> Bool {
        session.canLoad(String.self)
    }

    /// The proposal for a session.
    ///
    /// - Parameters:
    ///   - hasActiveDrag: whether a drag that began in the table is in progress. If the session is of this process, it
    ///     is that drag's session.
    ///   - isEditing: whether the user is editing the table.
    public func proposal(for session: any DropSession, hasActiveDrag: Bool, isEditing: Bool) -> TableDropProposal {
        let isOne = session.items.count == 1
        let isOwn = hasActiveDrag && session.localDragSession != nil
        let operation: DropOperation =
            switch (policy, isOwn) {
            case (.strict, true): isOne && isEditing ? .move : .cancel
            case (.strict, false): isOne ? .copy : .cancel
            case (.permissive, true): isOne ? .move : .cancel
            case (.permissive, false): .copy
            }
        return TableDropProposal(
            operation: operation,
            intent: operation == .cancel ? .unspecified : .insertAtDestinationIndexPath
        )
    }

    /// The row of the first item: the row at which the session was, or the end of the last section.
    ///
    /// - Parameter rowCounts: the number of rows of each section of the table.
    /// - Returns: nil if the table has no section and so no row can be inserted.
    public func destination(hovered: IndexPath?, rowCounts: [Int]) -> IndexPath? {
        if let hovered { return hovered }
        guard let count = rowCounts.last else { return nil }
        return IndexPath(row: count, section: rowCounts.count - 1)
    }
}
