import PasteboardKit

/// One way to export or import an item: the types, and the code for them. Programs do not use it directly.
public struct TransferForm<Item: Transferable>: Sendable {
    typealias Visibility = ItemProviderRepresentationVisibility

    let types: [UniformType]
    /// Promises an item in a provider; nil: the form is only imported.
    var export: (@Sendable (ItemProvider, Visibility, @escaping @Sendable () async throws -> Item) -> Void)?
    /// Makes an item from the contents of a provider; nil: the form is only exported.
    var load: (@Sendable (ItemProvider, LoadProgress?) async throws -> Item)?
    var visibility = Visibility.all
    /// Whether an item is exported in this form; nil: all items are.
    var condition: (@Sendable (Item) -> Bool)?
    var suggestedFileName: (@Sendable (Item) -> String?)?
}
