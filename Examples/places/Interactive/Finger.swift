import FoundationEssentials
import PasteboardKit
import TableDragAndDrop

/// What holds a drag: keys move it, as a finger would, to another row or another destination.
@MainActor
final class Finger {
    /// Where it is.
    enum Place: Equatable {
        case nowhere
        /// At a row of a destination, which only the destination knows to exist.
        case row(Int, of: String)
    }

    /// No table that somebody goes through with keys is longer.
    private static let lastRow = 9999

    /// What the table of this program is called.
    let home: String
    private(set) var drag: Drag?
    private(set) var place = Place.nowhere
    /// What a drop would do; nil: nobody has said yet.
    private(set) var operation: DropOperation?
    /// The row that it was at in each destination.
    private var rows: [String: Int] = [:]
    /// Hears of every change, and what to say of it, if anything.
    private let changed: (String?) -> Void

    init(home: String, changed: @escaping (String?) -> Void) {
        self.home = home
        self.changed = changed
    }

    // MARK: Beginning and ending

    func pickUp(row: Int, of table: Table) async {
        do {
            guard let drag = try await table.beginDrag(at: IndexPath(row: row, section: 0)) else {
                return changed("there is nothing to pick up")
            }
            self.drag = drag
            rows = [home: row]
            Task { await follow(drag) }
            changed("picked up \(drag.words)")
            await move(to: .row(row, of: home))
        } catch {
            changed("not picked up: \(error.message)")
        }
    }

    func drop() async {
        guard let drag else { return }
        do {
            let operation = try await drag.drop()
            if operation != .cancel { changed("dropped \(drag.words)") }
        } catch {
            changed("not dropped: \(error.message)")
        }
        forget(drag)
    }

    func cancel() async {
        guard let drag else { return }
        await drag.cancel()
        forget(drag)
    }

    /// Tells how it ends, also when somebody else ends it.
    private func follow(_ drag: Drag) async {
        let outcome = await drag.outcome()
        forget(drag)
        switch outcome {
        case .cancelled: changed("\(drag.words) stays")
        case .transferred(let operation): changed("\(drag.words): \(operation == .move ? "moved" : "copied")")
        case .failed(let error): changed("\(drag.words) stays: \(error.message)")
        }
    }

    private func forget(_ drag: Drag) {
        guard self.drag === drag else { return }
        self.drag = nil
        place = .nowhere
        operation = nil
        changed(nil)
    }

    // MARK: Moving

    /// - Parameter count: the rows of the own table.
    func moveRow(by distance: Int, ofOwn count: Int) async {
        guard case .row(let row, let name) = place else { return }
        await move(to: .row(max(0, min(row + distance, name == home ? count : Self.lastRow)), of: name))
    }

    /// To the next of all places, in a circle: the own table, the others, nothing.
    func moveDestination(forward: Bool) async {
        do {
            let others = try await DropDestination.names().filter { $0 != home }
            let places = ([home] + others).map { Place.row(rows[$0] ?? 0, of: $0) } + [.nowhere]
            let current = places.firstIndex { $0.name == place.name } ?? places.count - 1
            await move(to: places[(current + (forward ? 1 : places.count - 1)) % places.count])
        } catch {
            changed("nobody knows where to: \(error.message)")
        }
    }

    /// Asks again what a drop would do.
    func ask() async {
        await move(to: place)
    }

    private func move(to place: Place) async {
        guard let drag else { return }
        self.place = place
        operation = nil
        changed(nil)
        var location: DropLocation?
        if case .row(let row, let name) = place {
            rows[name] = row
            location = DropLocation(name, indexPath: IndexPath(row: row, section: 0))
        }
        do {
            let proposal = try await drag.move(to: location)
            if self.drag === drag, self.place == place { operation = proposal.operation }
            changed(nil)
        } catch {
            guard self.drag === drag else { return }
            operation = .cancel
            changed(error.message)
        }
    }
}

extension Finger.Place {
    /// nil: nowhere.
    var name: String? {
        if case .row(_, let name) = self { name } else { nil }
    }
}

extension DragDropSession {
    /// What is in it, as its source calls it.
    var words: String {
        let name = items.first?.itemProvider.suggestedName ?? "something"
        return items.count > 1 ? "\(name) and \(items.count - 1) more" : name
    }
}

extension DropOperation {
    /// What a person calls it.
    var words: String {
        switch self {
        case .copy: "copy"
        case .move: "move"
        case .cancel, .forbidden: "nothing"
        }
    }
}
