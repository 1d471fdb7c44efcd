import PasteboardKit

/// One way to give a value, to take it, or both.
struct Representation<Value: Sendable>: Sendable {
    /// What an item must have one of, so that a value can be made of it.
    let types: [UniformType]
    /// Registers the promise of a value with a provider; nil for what can only be taken.
    var export: (@Sendable (Value, ItemProvider) -> Void)?
    /// Makes a value of what an item has; nil for what can only be given.
    var load: (@Sendable (ItemProvider) async throws -> Value)?
    /// Whether this way applies to a value that is to be given.
    private(set) var condition: @Sendable (Value) -> Bool = { _ in true }

    init(_ types: [UniformType]) {
        self.types = types
    }

    /// The same, for the values only that meet a condition.
    func exporting(if condition: @escaping @Sendable (Value) -> Bool) -> Self {
        var result = self
        result.condition = condition
        return result
    }

    func canImport(from provider: ItemProvider) -> Bool {
        load != nil && types.contains { provider.hasItemConformingToTypeIdentifier($0.identifier) }
    }
}
