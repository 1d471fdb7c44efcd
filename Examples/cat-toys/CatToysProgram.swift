import PasteboardKit
import SampleModels
import Stage
import TableDragAndDrop

/// The three tables. Only this program changes the model.
@MainActor
final class CatToysProgram: StageProgram {
    let surfaces: [Surface]
    private(set) var toys: CatToys
    private let tables: [CatTable]
    private let trace: TraceLog

    /// - Parameter orphan: a cat whose table has no owner to notify.
    init(_ toys: CatToys, allowsLeaving: Bool, orphan: String?, trace: TraceLog) {
        self.toys = toys
        self.trace = trace
        tables = CatToys.cats.map { CatTable($0, allowsLeaving: allowsLeaving, trace: trace) }
        surfaces = tables.map { Surface($0.cat, $0.table, show: $0.show) }
        for table in tables where table.cat != orphan { table.owner = self }
    }

    func perform(_ step: Step, on surface: Surface) throws(StepError) {
        guard let cat = surface.label else { return }
        switch step {
        case .insert(let spot, let toy):
            let row = min(spot.row, toys[cat].count)
            toys[cat].insert(toy, at: row)
            reload()
            trace.line("inserted", cat, "\(row)", toy)
        case .remove(let spot):
            guard toys[cat].indices.contains(spot.row) else { return trace.line("no row", cat, "\(spot.row)") }
            let toy = toys[cat].remove(at: spot.row)
            reload()
            trace.line("removed", cat, "\(spot.row)", toy)
        default: throw unknown(step)
        }
    }

    /// The destination may have taken one of several toys. The move as a whole has then failed, and the others stay.
    func finish(_ drag: Drag) async {
        guard case .failed? = try? await drag.outcome(), (try? await drag.drop()) == .move else { return }
        tables.first { $0.cat == drag.localContext as? String }?.leave(drag.transferredItems, of: drag)
    }

    private func reload() {
        for table in tables { table.table.reloadData() }
    }

    /// Reads `Tama=ball,mouse/Kuro=box`.
    static func toys(_ text: String) throws(StepError) -> CatToys {
        var toys = CatToys(toys: [:])
        for part in text.split(separator: "/") {
            let words = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard words.count == 2, CatToys.cats.contains(words[0]) else {
                throw StepError(
                    "\(part) is not of the form CAT=TOY,TOY with one of \(CatToys.cats.joined(separator: ", "))"
                )
            }
            toys[words[0]] =
                words[1].isEmpty
                ? [] : words[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        return toys
    }

    // MARK: Drops

    /// A toy has moved between two cats of this process.
    func move(_ toy: String, from origin: String, to target: String) {
        toys.move(toy, from: origin, to: target)
        reload()
        trace.line("moved", toy, origin, target)
    }

    /// A toy has arrived from another process.
    func arrive(_ toy: String, from origin: String, to target: String) {
        toys.add(toy, to: target)
        reload()
        trace.line("arrived", target, toy, origin)
    }

    /// A toy has moved to another process.
    func leave(_ toy: String, from origin: String) {
        toys.remove(toy, from: origin)
        reload()
        trace.line("left", origin, toy)
    }
}
