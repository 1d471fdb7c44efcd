import FoundationEssentials
import PasteboardKit
import TableDragAndDrop
import TerminalTable

/// The pointer of a drag. Keys move it to another row or another destination.
@MainActor
final class Finger {
    /// The location of the pointer.
    enum Place: Equatable {
        case nowhere
        /// A row of a destination; nil is the end. Only the destination knows whether the row exists.
        case row(Int?, of: String)
    }

    /// An index that is after the last row of every table.
    private static let lastRow = 9999

    /// The destination name of this program's table.
    let home: String
    private(set) var drag: Drag?
    private(set) var place = Place.nowhere
    /// The proposal of the current destination; nil if it is not known yet.
    private(set) var operation: DropOperation?
    /// The reason why a drop would have no effect here.
    private(set) var refusal: String?
    /// The last row of the pointer in each destination.
    private var rows: [String: Int] = [:]
    /// Called after each change, with a message if there is one.
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
        let said: String?
        do {
            said = try await drag.drop() == .cancel ? nil : "dropped \(drag.words)"
        } catch {
            said = "not dropped: \(error.message)"
        }
        // If the end of the drag was already shown, that message stays.
        guard self.drag === drag else { return }
        if let said { changed(said) }
        forget(drag)
    }

    func cancel() async {
        guard let drag else { return }
        await drag.cancel()
        forget(drag)
    }

    /// Shows how the drag ends, even if another process ends it.
    private func follow(_ drag: Drag) async {
        guard let outcome = try? await drag.outcome() else { return }
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
        refusal = nil
        changed(nil)
    }

    // MARK: Moving

    /// - Parameter count: the number of rows of this program's table.
    func moveRow(by distance: Int, ofOwn count: Int) async {
        guard case .row(let current, let name) = place else { return }
        // From the end the pointer returns to its previous row.
        let row = max(0, current.map { $0 + distance } ?? (rows[name] ?? 0) + distance + 1)
        if name == home { return await move(to: .row(min(row, count), of: name)) }
        await move(to: .row(row > Self.lastRow || current == nil && distance > 0 ? nil : row, of: name))
    }

    /// Moves to the next destination, in a circle: this program's table, the others, none.
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

    /// Asks for the proposal again, because the destination may have exited or changed its answer.
    func ask() async {
        await move(to: place)
    }

    private func move(to place: Place) async {
        guard let drag else { return }
        if place != self.place {
            self.place = place
            operation = nil
            refusal = nil
            changed(nil)
        }
        var location: DropLocation?
        if case .row(let row, let name) = place {
            if let row { rows[name] = row }
            location = DropLocation(name, indexPath: row.map { IndexPath(row: $0, section: 0) })
        }
        do {
            let proposal = try await drag.move(to: location)
            guard self.drag === drag else { return }
            operation = proposal.operation
            refusal = refusal(of: proposal, for: drag)
        } catch {
            guard self.drag === drag else { return }
            operation = .cancel
            let isGone = error.code == .nothingHere
            refusal = isGone ? "there is no destination \(place.name ?? "") any more" : error.message
        }
        changed(nil)
    }

    private func refusal(of proposal: DropProposal, for drag: Drag) -> String? {
        guard [.cancel, .forbidden].contains(proposal.operation) else { return nil }
        return switch place.name {
        case nil: "no destination is here: a drop puts \(drag.words) back"
        case home: "rows move within their table only in edit mode: press e"
        case let name?:
            proposal.refusal.map { "\($0.message); \(drag.words) is \(drag.types)" }
                ?? "\(name) would do nothing with \(drag.words) here"
        }
    }
}

extension Finger.Place {
    /// The name of the destination; nil if there is none.
    var name: String? {
        if case .row(_, let name) = self { name } else { nil }
    }
}

extension DragDropSession {
    /// The items, described by the names that the source suggests.
    var words: String {
        let name = items.first?.itemProvider.words ?? "something"
        return items.count > 1 ? "\(name) and \(items.count - 1) more" : name
    }

    /// The types of its first item.
    var types: String {
        items.first?.itemProvider.registeredTypeIdentifiers.joined(separator: ", ") ?? "nothing"
    }
}

extension ItemProvider {
    /// The name that the source suggests for it.
    var words: String { suggestedName?.words ?? "something" }
}

extension String {
    /// The name, shortened to fit into a sentence.
    var words: String { shortened(to: 40) }
}

extension DropOperation {
    /// The destination in words for the user.
    var words: String {
        switch self {
        case .copy: "copy"
        case .move: "move"
        case .cancel, .forbidden: "nothing"
        }
    }
}
