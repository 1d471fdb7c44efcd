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
        var path: IndexPath?
        var proposal = TableDropProposal(operation: .cancel)
    }

    let table = Table()
    let acceptance: PlaceAcceptance
    private(set) var finger = Finger(home: "") { _ in }
    /// How long somebody who loads a name waits for it; nil: not at all.
    private let pace: Duration?
    private let terminal: Terminal
    private var changes = PlaceChanges(PlaceNames())
    /// The row with the cursor, as rows are shown.
    private var cursor = 0
    /// The row that is in the air.
    private var lifted: Int?
    private var message = "connecting"
    var visit: Visit? { didSet { show() } }
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

    // MARK: The model

    var shown: [TableRow] { table.presentedRows(inSection: 0) }
    var rowCounts: [Int] { [changes.places.names.count] }

    /// Inserts what has come, and keeps hold of the rows that somebody looks at.
    func insert(_ name: String, at path: IndexPath) {
        guard let row = changes.insert([name], at: path).first?.row else { return }
        if row <= cursor { cursor += 1 }
        if let lifted, row <= lifted { self.lifted = lifted + 1 }
    }

    // MARK: What is shown

    func say(_ message: String) {
        self.message = message
        show()
    }

    func show() {
        let rows = shown
        cursor = max(0, min(cursor, rows.count - 1))
        var screen = TableScreen(title: finger.home.isEmpty ? "places" : finger.home)
        screen.state = table.isEditing ? "\(acceptance.policy.rawValue), editing" : acceptance.policy.rawValue
        screen.rows = rows.map(row)
        screen.cursor = finger.drag == nil && !rows.isEmpty ? cursor : nil
        screen.mark = visit.map { mark($0, in: rows) }
        screen.session = session
        screen.message = message
        screen.hints = finger.drag == nil ? Self.hints : Self.hintsWhileHolding
        terminal.show(screen)
    }

    private static let hints: [TableScreen.Hint] = [
        .init("↑↓", "row"), .init("space", "pick up"), .init("e", "edit mode"), .init("q", "quit"),
    ]
    private static let hintsWhileHolding: [TableScreen.Hint] = [
        .init("↑↓", "row"), .init("←→", "destination"), .init("space", "drop"), .init("esc", "cancel"),
        .init("e", "edit mode"), .init("q", "quit"),
    ]

    private func row(_ row: TableRow) -> TableScreen.Row {
        switch row {
        case .row(let path):
            let name = changes.places.names[path.row]
            return path.row == lifted && finger.drag != nil ? .lifted(name) : .plain(name)
        case .placeholder(let cell):
            let progress = loads[cell.reuseIdentifier]
            let isKnown = progress.map { $0.totalUnitCount > 0 } ?? false
            return .placeholder(cell.text ?? "", fraction: isKnown ? progress?.fractionCompleted : nil)
        }
    }

    private func mark(_ visit: Visit, in rows: [TableRow]) -> TableScreen.Mark {
        let row = visit.path.flatMap { path in rows.firstIndex { if case .row(path) = $0 { true } else { false } } }
        let operation = visit.proposal.operation
        switch (operation, visit.proposal.intent) {
        case (.copy, .insertIntoDestinationIndexPath), (.move, .insertIntoDestinationIndexPath):
            return .init(row.map { .row($0) } ?? .gap(before: rows.count), "\(operation.words) into it")
        case (.copy, _), (.move, _):
            return .init(.gap(before: gap(row, in: rows, operation)), "\(operation.words) \(visit.session.words)")
        case (.cancel, _), (.forbidden, _):
            return .init(row.map { .row($0) } ?? .gap(before: rows.count), "nothing", isRefused: true)
        }
    }

    /// The gap that a row would come into. The row of the table itself leaves one behind: what is below it moves up, and
    /// it lands below what has the place now.
    private func gap(_ row: Int?, in rows: [TableRow], _ operation: DropOperation) -> Int {
        guard let row else { return rows.count }
        guard operation == .move, finger.drag != nil, let lifted, row > lifted else { return row }
        return row + 1
    }

    /// The session that is in the air: the one that is held here, or one of somebody else that is over the table.
    private var session: String? {
        guard let drag = finger.drag else {
            return visit.map { visit in
                let origin = visit.session.localDragSession == nil ? "another program" : "this table"
                return
                    "\(visit.session.words) from \(origin) → \(place(visit.path?.row)): \(visit.proposal.operation.words)"
            }
        }
        let operation = finger.operation?.words ?? "…"
        return switch finger.place {
        case .nowhere: "\(drag.words) → over nothing: \(operation)"
        case .row(let row, finger.home): "\(drag.words) → here, \(place(row)): \(operation)"
        case .row(let row, let name): "\(drag.words) → \(name), row \(row + 1): \(operation)"
        }
    }

    private func place(_ row: Int?) -> String {
        guard let row, row < changes.places.names.count else { return "the end" }
        return "row \(row + 1)"
    }

    // MARK: Keys

    /// Does what keys say until the program is to end.
    ///
    /// What ends it does so at once, whatever the keys before have begun; those are done one after the other.
    ///
    /// - Returns: the signal that ends it; nil: somebody wants it to.
    func run() async -> Int32? {
        let (keys, continuation) = AsyncStream.makeStream(of: Key.self)
        let work = Task { for await key in keys { await press(key) } }
        defer { work.cancel() }
        for await event in terminal.events {
            let isEnd = terminal.handle(event)
            if case .signalled(let signal) = event { return signal }
            if isEnd || event == .key(.character("q")) { return nil }
            if case .key(let key) = event { continuation.yield(key) }
        }
        return nil
    }

    private func press(_ key: Key) async {
        switch key {
        case .up: await go(-1)
        case .down: await go(1)
        case .pageUp: await go(-10)
        case .pageDown: await go(10)
        case .home: await go(-Self.far)
        case .end: await go(Self.far)
        case .left, .backTab: if finger.drag != nil { await finger.moveDestination(forward: false) }
        case .right, .tab: if finger.drag != nil { await finger.moveDestination(forward: true) }
        case .character(" "), .enter: if finger.drag == nil { await pickUp() } else { await finger.drop() }
        case .escape: await finger.cancel()
        case .character("e"):
            table.isEditing.toggle()
            say("edit mode is \(table.isEditing ? "on: rows can be moved" : "off")")
            await finger.ask()
        default: break
        }
    }

    /// Farther than any table is long.
    private static let far = 1_000_000

    private func go(_ distance: Int) async {
        if finger.drag != nil { return await finger.moveRow(by: distance, ofOwn: changes.places.names.count) }
        cursor += distance
        show()
    }

    private func pickUp() async {
        let rows = shown
        guard rows.indices.contains(cursor), case .row(let path) = rows[cursor] else {
            return say("there is nothing to pick up")
        }
        lifted = path.row
        await keepName()
        await finger.pickUp(row: path.row, of: table)
    }

    /// A broker that was started anew does not know the table.
    private func keepName() async {
        do {
            guard try await !DropDestination.names().contains(finger.home) else { return }
            try await table.register(as: finger.home)
        } catch {
            say("others cannot drop here: \(error.message)")
        }
    }
}

extension TerminalPlaces: TableDataSource {
    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int { changes.places.names.count }

    func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool { true }

    func tableView(_ tableView: Table, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath) {
        _ = changes.move(from: sourceIndexPath.row, to: destinationIndexPath.row)
        lifted = nil
        cursor = destinationIndexPath.row
        // The drop was all of this.
        visit = nil
    }
}

extension TerminalPlaces: TableDragDelegate {
    func tableView(
        _ tableView: Table,
        itemsForBeginning session: any DragSession,
        at indexPath: IndexPath
    ) -> [DragItem] {
        let asked: @Sendable (String) -> Void = { [weak self] name in
            Task { @MainActor in self?.say("somebody loads \(name)") }
        }
        guard let pace, changes.places.has(row: indexPath.row) else {
            return PlacePackaging(asked: asked).items(forRow: indexPath.row, of: changes.places)
        }
        return [SlowPlace(name: changes.places.names[indexPath.row], duration: pace).item(asked: asked)]
    }
}
