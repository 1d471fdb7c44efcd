import FoundationEssentials
import PasteboardKit
import SampleModels
import TableDragAndDrop
import TerminalTable

/// A table of places in a terminal: the model, the table, its delegates, and the screen.
///
/// The rules and the packaging are the same as without a terminal. Arriving items have placeholders until they are
/// loaded.
@MainActor
final class TerminalPlaces {
    /// A session that is over the table.
    struct Visit {
        let session: any DropSession
        let path: IndexPath?
        let proposal: TableDropProposal
    }

    /// The dragged row. It follows changes of other rows.
    struct Lifted {
        var row: Int
        let session: any DragSession
    }

    let table = Table()
    let acceptance: PlaceAcceptance
    private(set) var finger = Finger(home: "") { _ in }
    /// The time that a load of a name takes; nil for an immediate answer.
    private let pace: Duration?
    let terminal: Terminal
    var places = PlaceNames()
    /// The index of the row with the cursor, counting placeholders.
    var cursor = 0
    /// The row of the last drop, until a key is pressed.
    var focus: Int?
    /// The row that is being dragged, or was dragged last.
    var lifted: Lifted?
    var message = "connecting"
    /// Whether the help page is shown instead of the rows.
    var showsKeys = false
    /// Whether changes have not been drawn yet.
    var isDrawingDue = false
    /// The sessions that are over the table, in the order in which they entered.
    private var visits: [Visit] = [] { didSet { show() } }
    /// The session that is shown: the first one, so that several sessions do not alternate.
    var visit: Visit? { visits.first }
    /// The loads of the placeholders, by reuse identifier.
    var loads: [String: LoadProgress] = [:]

    init(_ acceptance: PlaceAcceptance, pace: Duration?, terminal: Terminal) {
        self.acceptance = acceptance
        self.pace = pace
        self.terminal = terminal
        table.dataSource = self
        table.dragDelegate = self
        table.dropDelegate = self
        show()
    }

    /// Registers the table under this name; without a name, under the first free one.
    func register(as name: String?) async throws(PasteboardError) {
        let names = name.map { [$0] } ?? ["places"] + (2...9).map { "places-\($0)" }
        for (index, name) in names.enumerated() {
            do throws(PasteboardError) {
                try await table.register(as: name)
                finger = Finger(home: name) { [unowned self] message in
                    if let message { say(message) } else { show() }
                }
                return say("others can drop here as \(name)")
            } catch {
                guard error.code == .refused, index + 1 < names.count else { throw error }
            }
        }
    }

    func say(_ message: String) {
        self.message = message
        show()
    }

    // MARK: Sessions over the table

    func came(_ visit: Visit) {
        if let index = visits.firstIndex(where: { $0.session === visit.session }) {
            visits[index] = visit
        } else {
            visits.append(visit)
        }
    }

    /// A session over the table has ended.
    func ended(_ session: any DragDropSession) {
        visits.removeAll { $0.session === session || $0.session.localDragSession === session }
    }

    // MARK: The model

    var shown: [TableRow] { table.presentedRows(inSection: 0) }
    var rowCounts: [Int] { [places.names.count] }

    /// The index at which a row of the model is shown.
    func index(of path: IndexPath) -> Int? {
        shown.firstIndex { if case .row(path) = $0 { true } else { false } }
    }

    /// Inserts a name that has arrived at the path of its placeholder.
    func insert(_ name: String, at path: IndexPath) {
        guard let row = places.insert([name], at: path).first?.row else { return }
        if let lifted, row <= lifted.row { self.lifted?.row += 1 }
    }

    /// The index at which a placeholder is shown.
    func index(of load: String) -> Int? {
        shown.firstIndex { if case .placeholder(let cell) = $0 { cell.reuseIdentifier == load } else { false } }
    }

    /// Keeps the cursor at its row when a placeholder was inserted or is about to be removed.
    func keepCursor(_ distance: Int, from load: String) {
        if let index = index(of: load), index < cursor || index == cursor && distance > 0 { cursor += distance }
    }
}

extension TerminalPlaces: TableDataSource {
    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int { places.names.count }

    func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool { true }

    func tableView(_ tableView: Table, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath) {
        _ = places.move(from: sourceIndexPath.row, to: destinationIndexPath.row)
        if let lifted { ended(lifted.session) }
        lifted = nil
        // The index is correct only after the table knows of the row and the placeholders have moved.
        table.performBatchUpdates(nil) { [self] _ in cursor = index(of: destinationIndexPath) ?? 0 }
    }
}

extension TerminalPlaces: TableDragDelegate {
    func tableView(
        _ tableView: Table,
        itemsForBeginning session: any DragSession,
        at indexPath: IndexPath
    ) -> [DragItem] {
        lifted = Lifted(row: indexPath.row, session: session)
        let asked: @Sendable (String) -> Void = { [weak self] name in
            Task { @MainActor in self?.say("somebody loads \(name.words)") }
        }
        guard let pace, places.names.indices.contains(indexPath.row) else {
            return PlacePackaging(asked: asked).items(forRow: indexPath.row, of: places)
        }
        return [SlowPlace(name: places.names[indexPath.row], duration: pace).item(asked: asked)]
    }
}
