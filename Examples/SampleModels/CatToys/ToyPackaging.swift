import FoundationEssentials
public import PasteboardKit

extension UniformType {
    /// The cat that owns the toy. Only programs of this kind know the type.
    public static let toyOrigin = declare("org.example.cat-toys.origin", conformingTo: [.data])
}

/// Packages a toy as an item: its name as plain text for all programs, and its origin for programs of this kind.
public struct ToyPackaging: Sendable {
    /// Is called when the toy is loaded.
    private let asked: @Sendable (String) -> Void

    /// Makes a packaging.
    ///
    /// - Parameter asked: called at each load of the name, on a thread of the library.
    public init(asked: @escaping @Sendable (String) -> Void = { _ in }) {
        self.asked = asked
    }

    /// The item for a cat's toy; nil for a toy without a name. The toy itself is the local object.
    @MainActor
    public func items(for toy: String, of cat: String) -> [DragItem] {
        guard !toy.isEmpty else { return [] }
        let provider = ItemProvider()
        provider.suggestedName = toy
        provider.registerDataRepresentation(for: .plainText) { [asked] in
            asked(toy)
            return Data(toy.utf8)
        }
        provider.registerDataRepresentation(for: .toyOrigin) { Data(cat.utf8) }
        let item = DragItem(itemProvider: provider)
        item.localObject = toy
        return [item]
    }
}
