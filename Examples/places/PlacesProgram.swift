import SampleModels
import Stage

/// The tables of `places`: one by default.
@MainActor
final class PlacesProgram: StageProgram {
    let surfaces: [Surface]
    private let tables: [PlacesTable]

    init(_ policy: PlaceAcceptance.Policy, tables labels: [String?], only role: PlacesTable.Role?, trace: TraceLog) {
        tables = labels.map { PlacesTable($0, only: role, acceptance: PlaceAcceptance(policy), trace: trace) }
        surfaces = tables.map { Surface($0.label, $0.table, show: $0.show) }
    }

    func perform(_ step: Step, on surface: Surface) throws(StepError) {
        switch step {
        case .insert(let spot, let name): table(of: surface)?.insert(name, at: spot.row)
        case .remove(let spot): table(of: surface)?.remove(at: spot.row)
        case .peek: (tables.first { $0.session != nil } ?? tables[0]).peek()
        default: throw unknown(step)
        }
    }

    private func table(of surface: Surface) -> PlacesTable? {
        tables.first { $0.table === surface.view }
    }
}
