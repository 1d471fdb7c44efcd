import FoundationEssentials
public import PasteboardKit
public import TableDragAndDrop

/// A table of a program, or another view: where drags begin, and what sessions can be directed to.
@MainActor
public struct Surface {
    /// What scripts and lines call it; nil where it is the program's only one.
    public let label: String?
    /// What drags begin in and is registered.
    public let view: InteractionView

    /// Makes a surface.
    public init(_ label: String? = nil, _ view: InteractionView) {
        self.label = label
        self.view = view
    }

    /// The view, if it is a table.
    public var table: Table? { view as? Table }

    func beginDrag(at position: Spot.Position) async throws -> Drag? {
        switch position {
        case .row(let row): try await requireTable().beginDrag(at: IndexPath(row: row, section: 0))
        case .point(let point): try await view.beginDrag(at: point)
        }
    }

    func addItems(to drag: Drag, at position: Spot.Position) async throws -> Bool {
        switch position {
        case .row(let row): try await requireTable().addItems(to: drag, at: IndexPath(row: row, section: 0))
        case .point(let point): try await view.addItems(to: drag, at: point)
        }
    }

    func requireTable() throws(StepError) -> Table {
        guard let table else { throw StepError("this is no table, and has no rows; a place here is a point, as 30,40") }
        return table
    }
}
