import Foundation
import TableDragAndDrop
import TestSupport
import Testing

/// Subclasses of views in the form that programs for UIKit have.
@Suite(.inProcess)
@MainActor
struct ForeignViewsTests {
    final class NameCell: UITableViewCell {
        let badge = UILabel()
        override init(style: UITableViewCell.CellStyle, reuseIdentifier: String?) {
            super.init(style: .subtitle, reuseIdentifier: reuseIdentifier)
            contentView.addSubview(badge)
        }
        required init?(coder: NSCoder) { fatalError("not in an archive") }
    }

    final class PlainCell: UITableViewCell {}

    final class PhotoCell: UICollectionViewCell {
        let caption = UILabel(frame: .zero)
        override var isSelected: Bool { didSet { caption.text = isSelected ? "selected" : nil } }
        override init(frame: CGRect) {
            super.init(frame: frame)
            contentView.addSubview(caption)
        }
        required init?(coder aDecoder: NSCoder) { super.init(coder: aDecoder) }
    }

    final class NamesTable: UITableView, UITableViewDataSource {
        var reloads = 0
        override init(frame: CGRect, style: UITableView.Style) {
            super.init(frame: frame, style: style)
            register(NameCell.self, forCellReuseIdentifier: "name")
            dataSource = self
        }
        required init?(coder: NSCoder) { super.init(coder: coder) }
        override func reloadData() {
            reloads += 1
            super.reloadData()
        }
        func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 2 }
        func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
            let cell = tableView.dequeueReusableCell(withIdentifier: "name", for: indexPath)
            cell.textLabel?.text = "row \(indexPath.row)"
            return cell
        }
    }

    final class NamesController: UITableViewController {
        override func viewDidLoad() {
            super.viewDidLoad()
            tableView.allowsMultipleSelection = true
        }
        override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 3 }
    }

    @Test("an identifier makes a cell of the registered class, by its own initializer")
    func registered() {
        let table = UITableView()
        table.register(NameCell.self, forCellReuseIdentifier: "name")
        table.register(PlainCell.self, forCellReuseIdentifier: "plain")
        let path = IndexPath(row: 0, section: 0)
        let cell = table.dequeueReusableCell(withIdentifier: "name", for: path) as? NameCell
        #expect(cell?.badge.superview === cell?.contentView && cell?.reuseIdentifier == "name")
        #expect(table.dequeueReusableCell(withIdentifier: "plain") is PlainCell)
        #expect(table.dequeueReusableCell(withIdentifier: "other")?.reuseIdentifier == "other")

        let collection = UICollectionView(frame: .zero, collectionViewLayout: UICollectionViewFlowLayout())
        collection.register(PhotoCell.self, forCellWithReuseIdentifier: "photo")
        let photo = collection.dequeueReusableCell(withReuseIdentifier: "photo", for: path) as? PhotoCell
        photo?.isSelected = true
        #expect(photo?.caption.text == "selected")
    }

    @Test("a subclass of a table is asked for its cells, and its overrides are called")
    func subclass() {
        let table = NamesTable()
        table.reloadData()
        #expect(table.reloads == 1)
        #expect(table.cellForRow(at: IndexPath(row: 1, section: 0))?.textLabel?.text == "row 1")
        #expect(table.cellForRow(at: IndexPath(row: 2, section: 0)) == nil)
    }

    @Test("a controller makes its table when it is first used, and is its data source")
    func controller() {
        let controller = NamesController()
        #expect(!controller.isViewLoaded)
        #expect(controller.tableView.numberOfRows(inSection: 0) == 3)
        #expect(controller.view === controller.tableView && controller.tableView.allowsMultipleSelection)
        controller.setEditing(true, animated: true)
        #expect(controller.tableView.isEditing)
    }
}
