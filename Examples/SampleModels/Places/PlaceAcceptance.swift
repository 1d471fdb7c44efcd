public import FoundationEssentials
public import PasteboardKit
public import TableDragAndDrop

/// What the table of `places` takes, and what it would do with it.
public struct PlaceAcceptance: Sendable {
    /// How much is taken.
    public enum Policy: String, Sendable, CaseIterable {
        /// One item at a time, and a row of the table itself only while the user is editing.
        case strict
        /// Any number of items, and a row of the table itself at any time.
        case permissive
    }

    /// How much is taken.
    public let policy: Policy

    /// Makes the rules.
    public init(_ policy: Policy) {
        self.policy = policy
    }

    /// Whether the table takes anything of a session: what can be had as text.
    public func canHandle(_ session: any DropSession) -> Bool {
        session.canLoadObjects(ofClass: String.self)
    }

    /// What a drop would do.
    ///
    /// - Parameters:
    ///   - hasActiveDrag: whether a drag is under way that began in the table: the session's own, if it is of this process.
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

    /// Where the first item goes: to the row that the session was at, else behind the last row of the last section.
    ///
    /// - Parameter rowCounts: the rows of each section of the table.
    /// - Returns: nil if the table has no section: there is no place for a row.
    public func destination(hovered: IndexPath?, rowCounts: [Int]) -> IndexPath? {
        if let hovered { return hovered }
        guard let count = rowCounts.last else { return nil }
        return IndexPath(row: count, section: rowCounts.count - 1)
    }
}
