import FoundationEssentials
import PasteboardKit
import SampleModels
import Stage

/// The van and the shelf, and the gate that holds slow loads.
@MainActor
final class PlaceholdersProgram: StageProgram {
    let surfaces: [Surface]
    private let tables: [ParcelTable]
    private let gate: Gate
    private let trace: TraceLog

    init(van: ParcelShelf, trace: TraceLog) {
        let gate = Gate()
        let packaging = ParcelPackaging { try await Self.bytes(of: $0, $1, gate, trace) }
        tables = [
            ParcelTable("van", van, packaging: packaging, trace: trace),
            ParcelTable("shelf", ParcelShelf(), packaging: packaging, trace: trace),
        ]
        surfaces = tables.map { Surface($0.label, $0.table, show: $0.show) }
        self.gate = gate
        self.trace = trace
    }

    func perform(_ step: Step, on surface: Surface) throws(StepError) {
        let table = tables.first { $0.table === surface.view }
        switch step {
        case .insert(let spot, let text): table?.insert(Parcel(text), at: spot.row)
        case .remove(let spot): table?.remove(at: spot.row)
        case .release(let name):
            trace.line("released", name)
            gate.open(name, succeeding: true)
        case .spoil(let name):
            trace.line("broken", name)
            gate.open(name, succeeding: false)
        case .advance(let name, let percent):
            trace.line("advanced", "\(percent)", name)
            gate.advance(name, to: percent)
        case .stop(let name):
            let loads = tables.flatMap { $0.loads(of: name) }
            trace.line("stopped", loads.isEmpty ? "nothing" : name)
            for load in loads { load.cancel() }
        default: throw unknown(step)
        }
    }

    /// Returns the bytes of a parcel, for the handlers of all parcels.
    private nonisolated static func bytes(
        of parcel: Parcel,
        _ progress: LoadProgress,
        _ gate: Gate,
        _ trace: TraceLog
    ) async throws -> Data {
        trace.line("asked", parcel.name)
        let isWhole: Bool
        switch parcel.kind {
        case .plain: isWhole = true
        case .slow:
            do {
                isWhole = try await gate.pass(parcel.name, progress)
            } catch {
                trace.line("abandoned", parcel.name)
                throw error
            }
        case .failing: isWhole = false
        }
        guard isWhole else { throw PasteboardError(.refused, message: "\(parcel.name) is broken") }
        return Data(parcel.name.utf8)
    }
}
