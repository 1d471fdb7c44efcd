public import FoundationEssentials
import PasteboardKit
public import TableDragAndDrop

extension TraceLog {
    /// Prints `update 2 copy insert`: the proposal of a table.
    @MainActor
    public func update(_ label: String?, _ path: IndexPath?, _ proposal: TableDropProposal) {
        line("update", label, path.words, "\(proposal.operation)", proposal.intent.words)
    }

    /// Prints `perform 2 copy`: a drop on a table.
    @MainActor
    public func perform(_ label: String?, _ coordinator: any TableDropCoordinator) {
        line("perform", label, coordinator.destinationIndexPath.words, "\(coordinator.proposal.operation)")
    }

    /// Prints `rows 2`, then `row 0 Yosemite` for each row: the contents of a table.
    ///
    /// - Parameter name: returns the name of a row of the model.
    @MainActor
    public func show(_ label: String?, _ table: Table, name: (Int) -> String) {
        let rows = table.presentedRows(inSection: 0)
        line("rows", label, "\(rows.count)")
        for (number, row) in rows.enumerated() {
            switch row {
            case .row(let path): line("row", label, "\(number)", name(path.row))
            case .placeholder(let cell): line("row", label, "\(number)", cell.textLabel?.text)
            }
        }
    }
}

extension IndexPath? {
    /// The row, or `empty`.
    fileprivate var words: String { map { "\($0.row)" } ?? "empty" }
}

extension TableDropProposal.Intent {
    /// The intent in one word; nil for no intent.
    fileprivate var words: String? {
        switch self {
        case .unspecified: nil
        case .insertAtDestinationIndexPath: "insert"
        case .insertIntoDestinationIndexPath: "into"
        case .automatic: "automatic"
        }
    }
}
