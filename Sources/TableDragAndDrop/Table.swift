public import Foundation
public import PasteboardCompatibility

/// A table: one column of rows, which can be dragged and dropped within this process and between processes.
@MainActor
open class Table: RowsView {
    /// The appearance of a table. It makes no difference, as there is no screen.
    public enum Style: Sendable {
        /// The styles that UIKit has.
        case plain, grouped, insetGrouped
    }

    /// The height of a row that is as high as its contents.
    public nonisolated static let automaticDimension = -1.0

    /// The provider of the rows. Setting another one reloads the table, as ``RowsView/reloadData()`` does.
    public weak var dataSource: (any TableDataSource)? {
        didSet { if dataSource !== oldValue { forgetRows() } }
    }
    /// The delegate. It is never called, because there is no screen.
    public weak var delegate: (any TableDelegate)?
    /// The provider of items for rows. If nil, no drag begins here.
    public weak var dragDelegate: (any TableDragDelegate)?
    /// The receiver of drops. If nil, the table accepts none.
    public weak var dropDelegate: (any TableDropDelegate)?

    /// The heights of rows, which make no difference.
    open var rowHeight = Table.automaticDimension, estimatedRowHeight = Table.automaticDimension
    /// The views around the rows, which make no difference.
    open var tableHeaderView: InteractionView?, tableFooterView: InteractionView?
    /// An object that prepares rows before they are shown. It is not called.
    public weak var prefetchDataSource: (any UITableViewDataSourcePrefetching)?

    /// Makes a table without rows.
    public init(frame: CGRect, style: Style) {
        super.init(frame: frame)
    }

    /// Makes a table without rows and with an empty frame.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// Makes a table without rows.
    public override convenience init(frame: CGRect) {
        self.init(frame: frame, style: .plain)
    }

    /// The rows of a section as a screen would show them, including placeholders.
    public func presentedRows(inSection section: Int) -> [TableRow] { presented(inSection: section) }
}
