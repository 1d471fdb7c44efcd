/// The name of ``Table`` in UIKit.
public typealias UITableView = Table
/// The name of ``TableCell`` in UIKit.
public typealias UITableViewCell = TableCell
/// The name of ``TableDelegate`` in UIKit.
public typealias UITableViewDelegate = TableDelegate
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

/// An object that prepares rows before they are shown. It is not called, as there is no screen.
@MainActor
public protocol UITableViewDataSourcePrefetching: AnyObject {}
