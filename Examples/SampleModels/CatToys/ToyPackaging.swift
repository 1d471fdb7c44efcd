import FoundationEssentials
public import PasteboardKit

extension UniformType {
    /// Which cat a toy comes from: what only programs of this kind know.
    public static let toyOrigin = declare("org.example.cat-toys.origin", conformingTo: [.data])
}

/// How a toy becomes an item: its name as plain text for everybody, and its origin for programs of this kind.
public struct ToyPackaging: Sendable {
    /// Hears that somebody asks for the toy.
    private let asked: @Sendable (String) -> Void

    /// Makes a packaging.
    ///
    /// - Parameter asked: called at each load of the name, on a thread of the library.
    public init(asked: @escaping @Sendable (String) -> Void = { _ in }) {
        self.asked = asked
    }

    /// The item for a toy of a cat; none for a toy that has no name. The toy itself is the local object.
    @MainActor
    public func items(for toy: String, of cat: String) -> [DragItem] {
        guard !toy.isEmpty else { return [] }
        let provider = ItemProvider()
        provider.suggestedName = toy
        provider.registerDataRepresentation(for: .plainText) { [asked] completion in
            asked(toy)
            completion(Data(toy.utf8), nil)
            return nil
        }
        provider.registerDataRepresentation(for: .toyOrigin) { completion in
            completion(Data(cat.utf8), nil)
            return nil
        }
        let item = DragItem(itemProvider: provider)
        item.localObject = toy
        return [item]
    }
}
