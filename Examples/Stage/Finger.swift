import FoundationEssentials
import PasteboardKit
import TableDragAndDrop

/// The pointer of a script: its current drag, and the lines printed about it.
@MainActor
final class Finger {
    private let program: any StageProgram
    private let trace: TraceLog
    private var drag: Drag?
    /// Completes when the drag has its outcome.
    private var outcome: Task<Void, Never>?
    private var isLetGo = false

    init(on program: any StageProgram, trace: TraceLog) {
        self.program = program
        self.trace = trace
    }

    /// Begins a drag.
    func press(_ surface: Surface, at position: Spot.Position) async throws {
        guard drag == nil else {
            throw PasteboardError(.refused, message: "there is a drag already; let go of it, and wait for its outcome")
        }
        guard let drag = try await surface.beginDrag(at: position) else {
            return trace.line("began nothing")
        }
        self.drag = drag
        trace.line("began", "\(drag.items.count)")
        isLetGo = false
        outcome = Task {
            guard let outcome = try? await drag.outcome() else { return }
            await program.finish(drag)
            self.drag = nil
            trace.outcome(outcome.words)
        }
    }

    /// Adds items to the drag.
    func add(_ surface: Surface, at position: Spot.Position) async throws {
        let drag = try held()
        try await trace.line {
            let isAdded = try await surface.addItems(to: drag, at: position)
            return "added \(isAdded ? "" : "nothing ")\(drag.items.count)"
        }
    }

    /// Prints the items of the drag.
    func listItems() throws {
        for (number, item) in try held().items.enumerated() {
            let types = item.itemProvider.registeredTypeIdentifiers.joined(separator: ",")
            trace.line("item", "\(number)", types, item.itemProvider.suggestedName)
        }
    }

    /// Moves the drag.
    func move(to target: Step.Target) async throws {
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

    /// Drops the drag.
    func lift() async throws {
        let drag = try held()
        isLetGo = true
        var operation = DropOperation.cancel
        try await trace.line(endsDrag: true) {
            operation = try await drag.drop()
            return "lifted \(operation)"
        }
        // Without a transfer the drag has ended already.
        if operation == .cancel || operation == .forbidden { await outcome?.value }
    }

    /// Cancels the drag.
    func cancel() async throws {
        let drag = try held()
        isLetGo = true
        await trace.line(endsDrag: true) {
            await drag.cancel()
            return "cancelled"
        }
        await outcome?.value
    }

    /// Waits for the outcome of a drag that was dropped or cancelled.
    func finish() async {
        if isLetGo { await outcome?.value }
    }

    /// The current drag. A drag is current until its outcome is known.
    private func held() throws(PasteboardError) -> Drag {
        guard let drag else { throw PasteboardError(.nothingHere, message: "nothing is held; press something first") }
        return drag
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
