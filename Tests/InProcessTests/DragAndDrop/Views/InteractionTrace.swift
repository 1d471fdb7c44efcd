import PasteboardKit

/// What the delegates of a test were told, in order, each line behind the name of the delegate.
@MainActor
final class InteractionTrace {
    private var lines: [(name: String, event: String)] = []
    private var waiters: [(name: String, event: String, continuation: CheckedContinuation<Void, Never>)] = []

    func add(_ event: String, to name: String) {
        lines.append((name, event))
        let reached = waiters.filter { $0.name == name && $0.event == event }
        waiters.removeAll { $0.name == name && $0.event == event }
        for waiter in reached { waiter.continuation.resume() }
    }

    /// What one delegate was told.
    subscript(name: String) -> [String] {
        lines.filter { $0.name == name }.map(\.event)
    }

    /// What several delegates were told, as `name.event`.
    func of(_ names: String...) -> [String] {
        lines.filter { names.contains($0.name) }.map { "\($0.name).\($0.event)" }
    }

    /// Returns once a delegate was told something.
    func reaches(_ event: String, of name: String) async {
        guard !self[name].contains(event) else { return }
        await withCheckedContinuation { waiters.append((name, event, $0)) }
    }

    func clear() {
        lines = []
    }
}

extension DropProposal {
    static let copy = DropProposal(operation: .copy)
    static let move = DropProposal(operation: .move)
}
