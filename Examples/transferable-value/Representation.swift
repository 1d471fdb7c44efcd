import PasteboardCompatibility
import PasteboardKit

/// A way to export a value, to import it, or both.
struct Representation<Value: Sendable>: Sendable {
    /// The types of which an item must have at least one for a value to be imported.
    let types: [UniformType]
    /// Registers the promise of a value with a provider; nil if the value can only be imported.
    var export: (@Sendable (Value, ItemProvider) -> Void)?
    /// Makes a value from the contents of an item; nil if the value can only be exported.
    var load: (@Sendable (ItemProvider) async throws -> Value)?
    /// Whether a value can be exported in this way.
    private(set) var condition: @Sendable (Value) -> Bool = { _ in true }

    init(_ types: [UniformType]) {
        self.types = types
    }

    /// The same representation, exported only for values that meet a condition.
    func exporting(if condition: @escaping @Sendable (Value) -> Bool) -> Self {
        var result = self
        result.condition = condition
        return result
    }

    func canImport(from provider: ItemProvider) -> Bool {
        load != nil && types.contains { provider.hasItemConformingToTypeIdentifier($0.identifier) }
    }
}
