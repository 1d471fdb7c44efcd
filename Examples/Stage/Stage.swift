import FoundationEssentials
import Glibc
import PasteboardKit
import TableDragAndDrop

/// Plays a script on a program: the finger, and the pieces of the world around it.
@MainActor
public final class Stage {
    private let program: any StageProgram
    private let trace: TraceLog
    private let name: String
    private var drag: Drag?
    /// A step is under way that lets go of the drag: the line about its outcome comes behind that of the step.
    private var isLettingGo = false
    private var outcome: Drag.Outcome?

    /// - Parameters:
    ///   - name: the program's, for messages.
    public init(_ program: any StageProgram, name: String, trace: TraceLog) {
        self.program = program
        self.name = name
        self.trace = trace
    }

    /// Plays the lines of standard input until `quit`, or their end.
    ///
    /// - Returns: the program's exit code: 0, or 2 if a line was no step of this program.
    public func play() async -> Int32 {
        trace.line("ready")
        var number = 0
        for await line in ScriptLines.read() {
            number += 1
            do {
                guard let step = try Step(line: line) else { continue }
                if step == .quit { break }
                try await take(step)
            } catch {
                StandardStreams.say("\(name): line \(number): \(error)\n", on: STDERR_FILENO)
                return 2
            }
        }
        trace.line("quit")
        return 0
    }

    private func take(_ step: Step) async throws(StepError) {
        do {
            switch step {
            case .register(let name): try await register(as: name)
            case .unregister:
                for surface in program.surfaces { await surface.view.unregister() }
                trace.line("unregistered")
            case .press(let spot): try await press(spot)
            case .add(let spot):
                let added = try await surface(spot.surface).addItems(to: held(), at: spot.position)
                trace.line(added ? "added" : "added nothing", try "\(held().items.count)")
            case .hover(let target): try await hover(target)
            case .lift: try await letGo { try await "lifted \($0.drop())" }
            case .cancel:
                try await letGo { drag in
                    await drag.cancel()
                    return "cancelled"
                }
            case .say(let text): trace.line("said", text)
            case .wait(let beginning): await trace.wait(for: beginning)
            case .show:
                for surface in program.surfaces { program.show(surface) }
            default: try changeState(step)
            }
        } catch let error as StepError {
            throw error
        } catch let error as PasteboardError {
            trace.line("failed", "\(error.code):", error.message)
        } catch {
            trace.line("failed", "\(error)")
        }
    }

    // MARK: The finger

    private func register(as name: String) async throws {
        var registered: [InteractionView] = []
        for surface in program.surfaces {
            let name = surface.label.map { "\(name)-\($0)" } ?? name
            do {
                try await surface.view.register(as: name)
            } catch {
                // All of them or none.
                for view in registered { await view.unregister() }
                throw error
            }
            registered.append(surface.view)
            trace.line("registered", name)
        }
    }

    private func press(_ spot: Spot) async throws {
        guard drag == nil else {
            throw PasteboardError(.refused, message: "there is a drag already; let go of it, and wait for its outcome")
        }
        guard let drag = try await surface(spot.surface).beginDrag(at: spot.position) else {
            return trace.line("began nothing")
        }
        self.drag = drag
        trace.line("began", "\(drag.items.count)")
        Task {
            let outcome = await drag.outcome()
            self.drag = nil
            if isLettingGo { self.outcome = outcome } else { trace.line("outcome", outcome.words) }
        }
    }

    private func hover(_ target: Step.Target) async throws {
        guard case .destination(let name, let position) = target else {
            try await held().move(to: nil)
            return trace.line("over nothing")
        }
        var location = DropLocation(name)
        switch position {
        case .row(let row): location.indexPath = IndexPath(row: row, section: 0)
        case .point(let point): location.point = point
        case nil: break
        }
        let proposal = try await held().move(to: location)
        trace.line("over", "\(proposal.operation)")
    }

    private func letGo(_ step: (Drag) async throws -> String) async throws {
        let drag = try held()
        isLettingGo = true
        defer {
            isLettingGo = false
            if let outcome { trace.line("outcome", outcome.words) }
            outcome = nil
        }
        trace.line(try await step(drag))
    }

    /// It is held until its outcome is known.
    private func held() throws(PasteboardError) -> Drag {
        guard let drag else { throw PasteboardError(.nothingHere, message: "nothing is held; press something first") }
        return drag
    }

    // MARK: What is there

    private func surface(_ label: String?) throws(StepError) -> Surface {
        let surfaces = program.surfaces
        if surfaces.count == 1, label == nil { return surfaces[0] }
        guard let surface = surfaces.first(where: { $0.label == label }) else {
            let known = surfaces.compactMap(\.label).joined(separator: ", ")
            throw StepError(
                known.isEmpty ? "there is only one place, which has no name" : "say where first: one of \(known)"
            )
        }
        return surface
    }

    private func changeState(_ step: Step) throws(StepError) {
        switch step {
        case .edit(let isOn):
            for surface in program.surfaces { try surface.requireTable().isEditing = isOn }
            trace.line("editing", isOn ? "on" : "off")
        case .enable(let isOn):
            for surface in program.surfaces {
                if let table = surface.table {
                    table.dragInteractionEnabled = isOn
                } else {
                    try program.take(step, on: surface)
                }
            }
            trace.line("enabled", isOn ? "on" : "off")
        case .select(let spot):
            guard let spot else {
                for surface in program.surfaces { surface.table?.selectRow(at: nil) }
                return trace.line("selected none")
            }
            let table = try surface(spot.surface).requireTable()
            table.selectRow(at: IndexPath(row: spot.row, section: 0))
            trace.line("selected", "\(table.indexPathsForSelectedRows?.count ?? 0)")
        case .reload(let label):
            if let label {
                try surface(label).requireTable().reloadData()
            } else {
                for surface in program.surfaces { try surface.requireTable().reloadData() }
            }
            trace.line("reloaded")
        case .insert(let spot, _), .remove(let spot): try program.take(step, on: try surface(spot.surface))
        default: try program.take(step, on: program.surfaces[0])
        }
    }
}

extension Drag.Outcome {
    fileprivate var words: String {
        switch self {
        case .cancelled: "cancelled"
        case .transferred(let operation): "transferred \(operation)"
        case .failed(let error): "failed \(error.code)"
        }
    }
}
