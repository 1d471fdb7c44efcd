public import Foundation
public import PasteboardCompatibility

/// The view of one row of a table.
@MainActor
open class TableCell: RowCell {
    /// The arrangement of a cell. It makes no difference: each cell has both labels.
    public enum CellStyle: Int, Sendable {
        /// The styles that UIKit has.
        case `default`, value1, value2, subtitle
    }
    /// The control that is shown while a row is edited.
    public enum EditingStyle: Int, Sendable {
        /// The styles that UIKit has.
        case none, delete, insert
    }
    /// The control at the end of a cell. It makes no difference.
    public enum AccessoryType: Int, Sendable {
        /// The types that UIKit has.
        case none, disclosureIndicator, detailDisclosureButton, checkmark, detailButton
    }
    /// The appearance of a selected cell. It makes no difference.
    public enum SelectionStyle: Int, Sendable {
        /// The styles that UIKit has.
        case none, blue, gray, `default`
    }

    /// The label with the text of the row.
    public let textLabel: UILabel? = UILabel()
    /// The label with the second text of the row.
    public let detailTextLabel: UILabel? = UILabel()
    /// The control at the end of the cell.
    open var accessoryType = AccessoryType.none
    /// The appearance of the cell while it is selected.
    open var selectionStyle = SelectionStyle.default
    /// Whether the cell is shown as being edited.
    open var isEditing = false

    /// Makes a cell.
    public init(style: CellStyle, reuseIdentifier: String?) {
        super.init(frame: .zero)
        self.reuseIdentifier = reuseIdentifier
    }

    /// Makes a cell with an empty frame.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// Makes a cell.
    public override convenience init(frame: CGRect) {
        self.init(style: .default, reuseIdentifier: nil)
        self.frame = frame
    }

    /// Makes a cell of a registered class, by its initializer with a style.
    public required convenience init(reusedAs identifier: String) {
        self.init(style: .default, reuseIdentifier: identifier)
    }

    /// Sets ``RowCell/isSelected``.
    open func setSelected(_ selected: Bool, animated: Bool) {
        isSelected = selected
    }
}
