import Foundation
public import PasteboardCompatibility

/// The view of one row: what cells of tables and of collection views have in common.
///
/// A view of rows makes cells for placeholders, and when the program asks for one. It makes the class that was
/// registered for the reuse identifier.
@MainActor
open class RowCell: InteractionView {
    /// The identifier that the cell was made for. It distinguishes kinds of rows.
    public internal(set) var reuseIdentifier: String?
    /// The view that contains the contents of the cell.
    public private(set) lazy var contentView: InteractionView = {
        let view = InteractionView(frame: bounds)
        addSubview(view)
        return view
    }()
    /// Whether the cell is shown as selected. The program sets it.
    open var isSelected = false
    /// Whether the cell is highlighted. The program sets it.
    open var isHighlighted = false

    /// Makes a cell of a registered class: calls `init(frame:)`, or `init(style:reuseIdentifier:)` for a table cell.
    public required convenience init(reusedAs identifier: String) {
        self.init(frame: .zero)
        reuseIdentifier = identifier
    }

    /// Does nothing, and is not called, because each cell is new.
    open func prepareForReuse() {}
}

extension RowsView {
    /// Makes a cell of the class that was registered for an identifier, or else of the type that is asked for.
    func makeCell<Cell: RowCell>(_ identifier: String) -> Cell {
        (cellClasses[identifier] as? Cell.Type ?? Cell.self).init(reusedAs: identifier)
    }
}
