import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport

/// A destination of a test, with a log of its events in order.
final class DropSite: Sendable {
    typealias Propose = @Sendable (any DropSession, DropLocation) async -> DropProposal
    typealias Perform = @Sendable (any DropSession, DropLocation) async throws -> Void

    private let running: Task<Result<Void, PasteboardError>, Never>
    private let following: Task<[String], Never>
    let log: Log

    /// The log of events at a destination.
    final class Log: Sendable {
        private let state = Lock<[String]>([])
        /// The outcomes of the sessions, in order.
        private let outcomes = Lock<[PasteboardKit.Drag.Outcome]>([])

        func ended(_ outcome: PasteboardKit.Drag.Outcome) {
            outcomes.withLock { $0.append(outcome) }
        }

        var endings: [String] { outcomes.withLock { $0.map(\.text) } }

        func add(_ line: String) {
            state.withLock { $0.append(line) }
        }

        var lines: [String] { state.withLock { $0 } }
    }

    /// Creates a destination that by default accepts everything.
    init(
        _ name: String = "site",
        accepting types: [UniformType] = [.item],
        on connection: PasteboardConnection,
        propose: @escaping Propose = { _, _ in DropProposal(operation: .copy) },
        perform: @escaping Perform
    ) {
        let destination = DropDestination(name: name, accepting: types, connection: connection)
        let events = destination.events
        let log = Log()
        self.log = log
        following = Task {
            var lines: [String] = []
            for await event in events {
                switch event {
                case .entered: lines.append("entered")
                case .updated(_, let location): lines.append("updated \(location.indexPath?.last ?? -1)")
                case .exited: lines.append("exited")
                case .ended(_, let outcome):
                    log.ended(outcome)
                    lines.append("ended")
                }
                if let last = lines.last { log.add(last) }
            }
            return lines
        }
        running = Task {
            do throws(PasteboardError) {
                try await destination.run(propose: propose, perform: perform)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
    }

    /// Creates a destination that loads nothing.
    convenience init(
        _ name: String = "site",
        accepting types: [UniformType] = [.item],
        on connection: PasteboardConnection
    ) {
        self.init(name, accepting: types, on: connection, perform: { _, _ in })
    }

    /// Ends the destination.
    ///
    /// - Returns: the events at the destination.
    @discardableResult
    func stop() async -> [String] {
        running.cancel()
        _ = await running.value
        return await following.value
    }

    /// Cancels the destination without waiting for its end.
    func cancel() { running.cancel() }

    /// Waits until the destination ends by itself, and returns the result.
    func end() async -> Result<Void, PasteboardError> { await running.value }

    /// Returns as soon as the log contains the event.
    func happened(_ line: String) async throws {
        try await eventually(line) { log.lines.contains(line) }
    }
}

extension PasteboardKit.Drag {
    /// Begins a drag, which may be moved, and drops it at a destination as soon as that is registered.
    static func drop(
        _ items: [DragItem] = [.text("a")],
        row: Int? = nil,
        from connection: PasteboardConnection
    ) async throws(PasteboardError) -> PasteboardKit.Drag {
        let drag = try await begin(items, options: Options(allowsMoveBetweenProcesses: true), connection: connection)
        try await drag.reach(row: row)
        try await drag.drop()
        return drag
    }

    /// Moves the drag to a destination as soon as that is registered.
    @discardableResult
    func reach(_ name: String = "site", row: Int? = nil) async throws(PasteboardError) -> DropProposal {
        try await move(to: .row(row, of: name), destinationTimeout: .seconds(600))
    }
}

extension DropLocation {
    static func row(_ row: Int?, of name: String = "site") -> DropLocation {
        DropLocation(name, indexPath: row.map { [0, $0] })
    }
}

extension DragItem {
    static func text(_ text: String) -> DragItem {
        DragItem(itemProvider: .text(text))
    }

    /// An empty text that is produced when a gate opens.
    static func text(after gate: Gate, asked: Gate) -> DragItem {
        DragItem(itemProvider: .waiting(.utf8PlainText, asked: asked, for: gate))
    }
}

extension PasteboardKit.Drag.Outcome {
    /// A text by which tests compare outcomes.
    var text: String {
        switch self {
        case .cancelled: "cancelled"
        case .transferred(let operation): "transferred \(operation)"
        case .failed(let error): "failed \(error.code)"
        }
    }
}
