public import PasteboardKit
public import TableDragAndDrop

/// The rules of a cat's table: which drops it accepts and which operation it proposes.
public enum ToyAcceptance {
    /// The origin of a toy.
    public enum Origin: Sendable, Equatable {
        /// A cat of this process.
        case here(cat: String)
        /// A cat of another process. Its name can be loaded as ``UniformType/toyOrigin``.
        case elsewhere
        /// Unknown: the item is not a cat's toy.
        case unknown
    }

    /// The toy of a session: the first item that can be loaded as text. All other items stay at their source.
    public static func toy(of session: any DropSession) -> DragItem? {
        session.items.first { $0.itemProvider.canLoad(UniformType.plainText) }
    }

    /// The origin of the toy of a session.
    @MainActor
    public static func origin(of session: any DropSession) -> Origin {
        if let cat = session.localDragSession?.localContext as? String { return .here(cat: cat) }
        guard let item = toy(of: session) else { return .unknown }
        return item.itemProvider.canLoad(UniformType.toyOrigin)
            ? .elsewhere : .unknown
    }

    /// The proposal for a session. Toys with an origin change their owner; everything else is treated as a table does
    /// by default. No row is proposed because a toy is always added at the end.
    @MainActor
    public static func proposal(for session: any DropSession) -> TableDropProposal {
        TableDropProposal(operation: origin(of: session) == .unknown ? .copy : .move)
    }
}
