import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport

/// A destination that a test runs, and what has happened there, in order.
final class DropSite: Sendable {
    typealias Propose = @Sendable (any DropSession, DropLocation) async -> DropProposal
    typealias Perform = @Sendable (any DropSession, DropLocation) async throws -> Void

    private let running: Task<Result<Void, PasteboardError>, Never>
    private let following: Task<[String], Never>
    let log: Log

    /// What has happened.
    final class Log: Sendable {
        private let state = Lock<[String]>([])
        /// How the sessions have ended.
        private let outcomes = Lock<[PasteboardKit.Drag.Outcome]>([])

        func ended(_ outcome: PasteboardKit.Drag.Outcome) {
            self.outcomes.withLock { $0.append(outcome) }
        }

        var endings: [String] { self.outcomes.withLock { $0.map(\.text) } }

        func add(_ line: String) {
            self.state.withLock { $0.append(line) }
        }

        var lines: [String] { self.state.withLock { $0 } }
    }

    /// Takes everything, unless a test says otherwise.
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
        self.following = Task {
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
        self.running = Task {
            do throws(PasteboardError) {
                try await destination.run(propose: propose, perform: perform)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
    }

    /// Loads nothing.
    convenience init(
        _ name: String = "site",
        accepting types: [UniformType] = [.item],
        on connection: PasteboardConnection
    ) {
        self.init(name, accepting: types, on: connection, perform: { _, _ in })
    }

    /// Ends it.
    ///
    /// - Returns: what happened.
    @discardableResult
    func stop() async -> [String] {
        self.running.cancel()
        _ = await self.running.value
        return await self.following.value
    }

    /// Gives it up, and waits for nothing.
    func cancel() { self.running.cancel() }

    /// How it ends by itself.
    func end() async -> Result<Void, PasteboardError> { await self.running.value }

    /// Returns once so much has happened.
    func happened(_ line: String) async {
        while !self.log.lines.contains(line) { await Task.yield() }
    }
}

extension PasteboardKit.Drag {
    /// Moves to a destination as soon as it is there.
    @discardableResult
    func reach(_ name: String = "site", row: Int? = nil) async throws(PasteboardError) -> DropProposal {
        try await self.move(to: .row(row, of: name), waitingUpTo: .seconds(600))
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

    /// An empty text that comes when a gate is open.
    static func text(after gate: Gate, asked: Gate) -> DragItem {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .utf8PlainText) {
            asked.open()
            await gate.wait()
            return Data()
        }
        return DragItem(itemProvider: provider)
    }
}

extension PasteboardKit.Drag.Outcome {
    /// For comparing.
    var text: String {
        switch self {
        case .cancelled: "cancelled"
        case .transferred(let operation): "transferred \(operation)"
        case .failed(let error): "failed \(error.code)"
        }
    }
}
