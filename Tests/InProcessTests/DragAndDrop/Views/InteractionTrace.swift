import PasteboardKit
import TestSupport

/// The calls of the delegates of a test in order. Each line begins with the name of the delegate.
@MainActor
final class InteractionTrace {
    private var lines: [(name: String, event: String)] = []

    func add(_ event: String, to name: String) {
        lines.append((name, event))
    }

    /// The calls of one delegate.
    subscript(name: String) -> [String] {
        lines.filter { $0.name == name }.map(\.event)
    }

    /// The calls of several delegates, as `name.event`.
    func of(_ names: String...) -> [String] {
        lines.filter { names.contains($0.name) }.map { "\($0.name).\($0.event)" }
    }

    /// Returns as soon as a delegate was called with the event.
    func reaches(_ event: String, of name: String) async throws {
        try await eventually("\(event) of \(name)") { self[name].contains(event) }
    }

    func clear() {
        lines = []
    }
}

extension DropProposal {
    static let copy = DropProposal(operation: .copy)
    static let move = DropProposal(operation: .move)
}
