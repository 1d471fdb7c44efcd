import FoundationEssentials
import PasteboardKit
import SampleModels
import TableDragAndDrop
import TerminalTable

/// A table of places in a terminal: a model, the table over it, its delegates, and what is shown of them.
///
/// The rules and the packaging are those of the program without a terminal; what comes has a placeholder until it is there.
@MainActor
final class TerminalPlaces {
    /// A session that is over the table.
    struct Visit {
        let session: any DropSession
        let path: IndexPath?
        let proposal: TableDropProposal
    }

    /// A row that was picked up, wherever it is while others come.
    struct Lifted {
        var row: Int
        let session: any DragSession
    }

    let table = Table()
    let acceptance: PlaceAcceptance
    private(set) var finger = Finger(home: "") { _ in }
    /// How long somebody who loads a name waits for it; nil: not at all.
    private let pace: Duration?
    let terminal: Terminal
    /// Finds a broker that somebody else has started, and starts none.
    let quietConnection = PasteboardConnection(startsBroker: false)
    private var isDestination = true
    var changes = PlaceChanges(PlaceNames())
    /// The row with the cursor, as rows are shown.
    var cursor = 0
    /// The row that something was dropped at, until a key is pressed.
    var focus: Int?
    /// The row that is in the air, or was last.
    var lifted: Lifted?
    var message = "connecting"
    /// Whether all keys are shown in place of the rows.
    var showsKeys = false
    /// What is shown is not drawn yet.
    var isDrawingDue = false
    /// The sessions that are over the table, in the order in which they came.
    private var visits: [Visit] = [] { didSet { show() } }
    /// The one that is shown: the first, so that several do not take turns.
    var visit: Visit? { visits.first }
    /// The loads that placeholders wait for, by the kind of the row.
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

    /// Makes the table a destination with this name; without one, with the first that is free.
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

    /// A broker that was started anew does not know the table.
    func keepName(over connection: PasteboardConnection) async {
        do throws(PasteboardError) {
            try await table.register(as: finger.home, connection: connection)
            isDestination = true
            say("others can drop here as \(finger.home) again")
        } catch {
            // It is one still.
            guard error.code != .invalidArgument, isDestination else { return }
            isDestination = false
            let reason =
                error.code == .brokerUnavailable ? "no broker runs; picking up a row starts one" : error.message
            say("others cannot drop here: \(reason)")
        }
    }

    func say(_ message: String) {
        self.message = message
        show()
    }

    // MARK: What is over it

    func came(_ visit: Visit) {
        if let index = visits.firstIndex(where: { $0.session === visit.session }) {
            visits[index] = visit
        } else {
            visits.append(visit)
        }
    }

    /// A session is over the table no more.
    func ended(_ session: any DragDropSession) {
        visits.removeAll { $0.session === session || $0.session.localDragSession === session }
    }

    // MARK: The model

    var shown: [TableRow] { table.presentedRows(inSection: 0) }
    var rowCounts: [Int] { [changes.places.names.count] }

    /// Where a row of the model is shown.
    func index(of path: IndexPath) -> Int? {
        shown.firstIndex { if case .row(path) = $0 { true } else { false } }
    }

    /// Inserts what has come, where its placeholder was.
    func insert(_ name: String, at path: IndexPath) {
        guard let row = changes.insert([name], at: path).first?.row else { return }
        if let lifted, row <= lifted.row { self.lifted?.row += 1 }
    }

    /// Where a placeholder is shown.
    func index(of load: String) -> Int? {
        shown.firstIndex { if case .placeholder(let cell) = $0 { cell.reuseIdentifier == load } else { false } }
    }

    /// A placeholder has come, or is about to go: the cursor stays at its row.
    func keepCursor(_ distance: Int, from load: String) {
        if let index = index(of: load), index < cursor || index == cursor && distance > 0 { cursor += distance }
    }
}

extension TerminalPlaces: TableDataSource {
    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int { changes.places.names.count }

    func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool { true }

    func tableView(_ tableView: Table, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath) {
        _ = changes.move(from: sourceIndexPath.row, to: destinationIndexPath.row)
        if let lifted { ended(lifted.session) }
        lifted = nil
        // Once the table knows of the row, and placeholders have made way.
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
        guard let pace, changes.places.has(row: indexPath.row) else {
            return PlacePackaging(asked: asked).items(forRow: indexPath.row, of: changes.places)
        }
        return [SlowPlace(name: changes.places.names[indexPath.row], duration: pace).item(asked: asked)]
    }
}
