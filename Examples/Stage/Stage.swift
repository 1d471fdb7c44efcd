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
    private let patience: Duration
    private var drag: Drag?
    /// Returns once that is over.
    private var outcome: Task<Void, Never>?
    private var isLetGo = false
    /// The delegates that a script has taken away from their tables.
    private var dragDelegates: [ObjectIdentifier: any TableDragDelegate] = [:]
    private var dropDelegates: [ObjectIdentifier: any TableDropDelegate] = [:]

    /// - Parameters:
    ///   - name: the program's, for messages.
    ///   - patience: how long a step waits for something.
    public init(_ program: any StageProgram, name: String, patience: Duration, trace: TraceLog) {
        self.program = program
        self.name = name
        self.patience = patience
        self.trace = trace
    }

    /// Plays the lines of standard input until `quit`, or their end and that of the drag that was let go of.
    ///
    /// - Returns: the program's exit code: 0, or 2 if a line was no step of this program.
    public func play() async -> Int32 {
        trace.line("ready")
        var number = 0
        for await line in ScriptLines.read() {
            number += 1
            do {
                guard let step = try Step(line: line) else { continue }
                if step == .quit { return quit() }
                try await take(step)
            } catch {
                StandardStreams.say("\(name): line \(number): \(error)\n", on: STDERR_FILENO)
                return 2
            }
        }
        if isLetGo { await outcome?.value }
        return quit()
    }

    private func quit() -> Int32 {
        trace.close("quit")
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
                let (surface, drag) = (try surface(spot.surface), try held())
                try await trace.line {
                    let isAdded = try await surface.addItems(to: drag, at: spot.position)
                    return "added \(isAdded ? "" : "nothing ")\(drag.items.count)"
                }
            case .hover(let target): try await hover(target)
            case .items: try listItems()
            case .lift: try await lift()
            case .cancel: try await cancel()
            case .say(let text): trace.line("said", text)
            case .wait(let beginning): try await trace.wait(for: beginning, atMost: patience)
            case .seek(let name): try await seek(name)
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

    /// All tables, or none of them.
    private func register(as name: String) async throws {
        var registered: [(name: String, view: InteractionView)] = []
        for surface in program.surfaces {
            let name = surface.label.map { "\(name)-\($0)" } ?? name
            do {
                try await surface.view.register(as: name)
            } catch {
                for (_, view) in registered { await view.unregister() }
                throw error
            }
            registered.append((name, surface.view))
        }
        for (name, view) in registered {
            trace.line("registered", name)
            Task {
                guard let error = await view.registrationEnded() else { return }
                trace.line("lost", name, "\(error.code)")
            }
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
        isLetGo = false
        outcome = Task {
            let outcome = await drag.outcome()
            await program.settle(drag)
            self.drag = nil
            trace.outcome(outcome.words)
        }
    }

    private func listItems() throws {
        for (number, item) in try held().items.enumerated() {
            let types = item.itemProvider.registeredTypeIdentifiers.joined(separator: ",")
            trace.line("item", "\(number)", types, item.itemProvider.suggestedName)
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

    private func lift() async throws {
        let drag = try held()
        isLetGo = true
        var operation = DropOperation.cancel
        try await trace.line(endsDrag: true) {
            operation = try await drag.drop()
            return "lifted \(operation)"
        }
        // With nothing to be transferred it is over.
        if operation == .cancel || operation == .forbidden { await outcome?.value }
    }

    private func cancel() async throws {
        let drag = try held()
        isLetGo = true
        await trace.line(endsDrag: true) {
            await drag.cancel()
            return "cancelled"
        }
        await outcome?.value
    }

    /// It is held until its outcome is known.
    private func held() throws(PasteboardError) -> Drag {
        guard let drag else { throw PasteboardError(.nothingHere, message: "nothing is held; press something first") }
        return drag
    }

    // MARK: What is there

    /// Waits until there is such a destination, of whatever process.
    private func seek(_ name: String) async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + patience
        while !(try await DropDestination.names().contains(name)) {
            guard clock.now < deadline else {
                throw PasteboardError(
                    .timeout,
                    message: "there has been no destination \(name) for \(patience.components.seconds) s"
                )
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        trace.line("found", name)
    }

    private func surface(_ label: String?) throws(StepError) -> Surface {
        let surfaces = program.surfaces
        if surfaces.count == 1, label == nil { return surfaces[0] }
        guard let surface = surfaces.first(where: { $0.label == label }) else {
            let known = surfaces.compactMap(\.label).joined(separator: ", ")
            throw StepError(
                known.isEmpty
                    ? "there is only one table, which has no name: leave \(label ?? "it") out"
                    : "say first which table: one of \(known)"
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
        case .delegate(let role, let isOn):
            for surface in program.surfaces { setDelegate(role, of: try surface.requireTable(), isOn) }
            trace.line("delegate", role.rawValue, isOn ? "on" : "off")
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

    private func setDelegate(_ role: Step.Role, of table: Table, _ isOn: Bool) {
        let id = ObjectIdentifier(table)
        switch role {
        case .drag:
            dragDelegates[id] = dragDelegates[id] ?? table.dragDelegate
            table.dragDelegate = isOn ? dragDelegates[id] : nil
        case .drop:
            dropDelegates[id] = dropDelegates[id] ?? table.dropDelegate
            table.dropDelegate = isOn ? dropDelegates[id] : nil
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
