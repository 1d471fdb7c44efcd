public import Foundation
public import PasteboardCompatibility

/// A controller whose view is a table, for which it is the data source.
@MainActor
open class UITableViewController: UIViewController, TableDataSource, TableDelegate {
    private let style: Table.Style

    /// Makes a controller.
    public init(style: Table.Style) {
        self.style = style
        super.init(nibName: nil, bundle: nil)
    }

    /// Makes a controller.
    public override init(nibName: String?, bundle: Bundle?) {
        style = .plain
        super.init(nibName: nibName, bundle: bundle)
    }

    /// Makes a controller. Nothing is decoded.
    public required init?(coder: NSCoder) {
        style = .plain
        super.init(coder: coder)
    }

    /// The table, which is the controller's view.
    open var tableView: Table! {
        get { view as? Table }
        set { view = newValue }
    }

    /// Makes the table.
    open override func loadView() {
        let table = Table(frame: .zero, style: style)
        table.dataSource = self
        table.delegate = self
        view = table
    }

    /// Begins or ends editing, in the table, too.
    open override func setEditing(_ editing: Bool, animated: Bool) {
        super.setEditing(editing, animated: animated)
        tableView?.setEditing(editing, animated: animated)
    }

    // The methods that subclasses override, with the results that a table has by default.

    /// Returns 1.
    open func numberOfSections(in tableView: Table) -> Int { 1 }
    /// Returns 0.
    open func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int { 0 }
    /// Returns an empty cell.
    open func tableView(_ tableView: Table, cellForRowAt indexPath: IndexPath) -> TableCell { TableCell() }
    /// Returns nil.
    open func tableView(_ tableView: Table, titleForHeaderInSection section: Int) -> String? { nil }
    /// Returns true.
    open func tableView(_ tableView: Table, canEditRowAt indexPath: IndexPath) -> Bool { true }
    /// Returns `delete`.
    open func tableView(_ table: Table, editingStyleForRowAt path: IndexPath) -> TableCell.EditingStyle { .delete }
    /// Returns true.
    open func tableView(_ table: Table, shouldIndentWhileEditingRowAt indexPath: IndexPath) -> Bool { true }
    /// Does nothing.
    open func tableView(_ table: Table, commit editingStyle: TableCell.EditingStyle, forRowAt indexPath: IndexPath) {}
    /// Returns true.
    open func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool { tableView.unanswered() }
    /// Does nothing. The row is then dropped.
    open func tableView(_ tableView: Table, moveRowAt source: IndexPath, to destination: IndexPath) {
        tableView.unanswered()
    }
    /// Returns the proposed path.
    open func tableView(
        _ tableView: Table,
        targetIndexPathForMoveFromRowAt source: IndexPath,
        toProposedIndexPath proposed: IndexPath
    ) -> IndexPath { proposed }
    /// Does nothing, and is not called, as the methods of a delegate that follow.
    open func tableView(_ tableView: Table, didSelectRowAt indexPath: IndexPath) {}
    /// Returns the automatic height.
    open func tableView(_ tableView: Table, heightForRowAt path: IndexPath) -> CGFloat { Table.automaticDimension }
    /// Returns the automatic height.
    open func tableView(_ table: Table, heightForHeaderInSection section: Int) -> CGFloat { Table.automaticDimension }
    /// Returns nil.
    open func tableView(_ tableView: Table, viewForHeaderInSection section: Int) -> InteractionView? { nil }
    /// Does nothing.
    open func tableView(_ tableView: Table, willDisplay cell: TableCell, forRowAt indexPath: IndexPath) {}
}
