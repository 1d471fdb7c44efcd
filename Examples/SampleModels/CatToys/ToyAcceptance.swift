public import PasteboardKit
public import TableDragAndDrop

/// What a cat's table takes, and what it would do with it.
public enum ToyAcceptance {
    /// Where a toy comes from.
    public enum Origin: Sendable, Equatable {
        /// A cat of this process.
        case here(cat: String)
        /// A cat of another process: its name is to be loaded as ``UniformType/toyOrigin``.
        case elsewhere
        /// Nobody knows: what it is, is not a cat's toy.
        case unknown
    }

    /// The toy of a session: the first item that has a name to be had. All others stay where they are.
    public static func toy(of session: any DropSession) -> DragItem? {
        session.items.first { $0.itemProvider.hasItemConformingToTypeIdentifier(UniformType.plainText.identifier) }
    }

    /// Where the toy of a session comes from.
    @MainActor
    public static func origin(of session: any DropSession) -> Origin {
        if let cat = session.localDragSession?.localContext as? String { return .here(cat: cat) }
        guard let item = toy(of: session) else { return .unknown }
        return item.itemProvider.hasItemConformingToTypeIdentifier(UniformType.toyOrigin.identifier)
            ? .elsewhere : .unknown
    }

    /// What a drop would do: toys with an origin change their owner, all else is taken as a table does by default. No row is
    /// proposed, because a toy goes to the end.
    @MainActor
    public static func proposal(for session: any DropSession) -> TableDropProposal {
        TableDropProposal(operation: origin(of: session) == .unknown ? .copy : .move)
    }
}
