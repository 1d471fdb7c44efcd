import Foundation
public import PasteboardCompatibility
import PasteboardKit
public import TableDragAndDrop

/// A table or another view of a program. Drags begin in it, and sessions can be directed to it.
@MainActor
public struct Surface {
    /// The name in scripts and printed lines; nil if it is the program's only surface.
    public let label: String?
    /// The view in which drags begin, and which is registered as a destination.
    public let view: InteractionView
    /// Prints the contents.
    let show: @MainActor () -> Void

    /// Makes a surface.
    public init(_ label: String?, _ view: InteractionView, show: @escaping @MainActor () -> Void) {
        self.label = label
        self.view = view
        self.show = show
    }

    /// The view, if it is a table.
    public var table: Table? { view as? Table }

    func beginDrag(at position: Spot.Position) async throws -> Drag? {
        switch position {
        case .row(let row): try await requireTable().beginDrag(at: IndexPath(row: row, section: 0))
        case .point(let point): try await view.beginDrag(at: CGPoint(point))
        }
    }

    func addItems(to drag: Drag, at position: Spot.Position) async throws -> Bool {
        switch position {
        case .row(let row): try await requireTable().addItems(to: drag, at: IndexPath(row: row, section: 0))
        case .point(let point): try await view.addItems(to: drag, at: CGPoint(point))
        }
    }

    func requireTable() throws(StepError) -> Table {
        guard let table else { throw StepError("this is no table, and has no rows; a place here is a point, as 30,40") }
        return table
    }
}
