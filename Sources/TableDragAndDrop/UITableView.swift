public import Foundation

/// The name of ``Table`` in UIKit.
public typealias UITableView = Table
/// The name of ``TableCell`` in UIKit.
public typealias UITableViewCell = TableCell
/// The name of ``TableDataSource`` in UIKit.
public typealias UITableViewDataSource = TableDataSource
/// The name of ``TableDragDelegate`` in UIKit.
public typealias UITableViewDragDelegate = TableDragDelegate
/// The name of ``TableDropCoordinator`` in UIKit.
public typealias UITableViewDropCoordinator = TableDropCoordinator
/// The name of ``TableDropDelegate`` in UIKit.
public typealias UITableViewDropDelegate = TableDropDelegate
/// The name of ``TableDropItem`` in UIKit.
public typealias UITableViewDropItem = TableDropItem
/// The name of ``TableDropPlaceholder`` in UIKit.
public typealias UITableViewDropPlaceholder = TableDropPlaceholder
/// The name of ``TableDropPlaceholderContext`` in UIKit.
public typealias UITableViewDropPlaceholderContext = TableDropPlaceholderContext
/// The name of ``TableDropProposal`` in UIKit.
public typealias UITableViewDropProposal = TableDropProposal

// For data sources that make cells. A table asks for none, since nothing shows them.
extension Table {
    /// Registers nothing: every identifier gives a cell.
    public func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {}

    /// Makes a cell.
    public func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> TableCell {
        TableCell(reuseIdentifier: identifier, rowHeight: Self.automaticDimension)
    }
}

extension TableCell {
    /// The cell itself, which has the text.
    public var textLabel: TableCell? { self }
}
