import FoundationEssentials
import Glibc
import PasteboardCompatibility
import PasteboardKit
import TableDragAndDrop

/// Plays a script on a program, with a pointer that drags and drops.
@MainActor
public final class Stage {
    private let program: any StageProgram
    private let trace: TraceLog
    private let name: String
    private let timeout: Duration
    private let finger: Finger

    /// - Parameters:
    ///   - name: the program's name, for messages.
    ///   - timeout: the timeout of a step that waits.
    public init(_ program: any StageProgram, name: String, timeout: Duration, trace: TraceLog) {
        self.program = program
        self.name = name
        self.timeout = timeout
        self.trace = trace
        finger = Finger(on: program, trace: trace)
    }

    /// Plays the lines of standard input until `quit`. At the end of the input it waits for the outcome of a drag that
    /// was dropped or cancelled.
    ///
    /// - Returns: the program's exit code: 0, or 2 if a line was not a valid step.
    public func play() async -> Int32 {
        trace.line("ready")
        var number = 0
        for await line in ScriptLines.read() {
            number += 1
            do {
                guard let step = try Step(line: line) else { continue }
                if step == .quit { return quit() }
                try await perform(step)
            } catch {
                StandardStreams.say("\(name): line \(number): \(error)\n", on: STDERR_FILENO)
                return 2
            }
        }
        await finger.finish()
        return quit()
    }

    private func quit() -> Int32 {
        trace.close("quit")
        return 0
    }

    private func perform(_ step: Step) async throws(StepError) {
        do {
            switch step {
            case .register(let name): try await register(as: name)
            case .unregister:
                for surface in program.surfaces { await surface.view.unregister() }
                trace.line("unregistered")
            case .press(let spot):
                try await finger.press(try surface(spot.surface), at: spot.position)
            case .add(let spot): try await finger.add(try surface(spot.surface), at: spot.position)
            case .items: try finger.listItems()
            case .hover(let target): try await finger.move(to: target)
            case .lift: try await finger.lift()
            case .cancel: try await finger.cancel()
            case .say(let text): trace.line("said", text)
            case .wait(let beginning): try await trace.wait(for: beginning, atMost: timeout)
            case .seek(let name): try await seek(name)
            case .show:
                for surface in program.surfaces { surface.show() }
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

    // MARK: Destinations

    /// Registers all tables. If one fails, none stays registered.
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
                guard let error = await view.registrationOutcome() else { return }
                trace.line("unregistered", name, "\(error.code)")
            }
        }
    }

    /// Waits until a destination of this name exists in any process.
    private func seek(_ name: String) async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + timeout
        while !(try await DropDestination.names().contains(name)) {
            guard clock.now < deadline else {
                throw PasteboardError(
                    .timeout,
                    message: "there has been no destination \(name) for \(timeout.components.seconds) s"
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
                    try program.perform(step, on: surface)
                }
            }
            trace.line("enabled", isOn ? "on" : "off")
        case .select(let spot):
            guard let spot else {
                for surface in program.surfaces { surface.table?.selectRow(at: nil) }
                return trace.line("selected none")
            }
            let table = try surface(spot.surface).requireTable()
            table.allowsMultipleSelection = true
            table.selectRow(at: IndexPath(row: spot.row, section: 0))
            trace.line("selected", "\(table.indexPathsForSelectedRows?.count ?? 0)")
        case .reload(let label):
            if let label {
                try surface(label).requireTable().reloadData()
            } else {
                for surface in program.surfaces { try surface.requireTable().reloadData() }
            }
            trace.line("reloaded")
        case .insert(let spot, _), .remove(let spot): try program.perform(step, on: try surface(spot.surface))
        default: try program.perform(step, on: program.surfaces[0])
        }
    }
}
