public import PasteboardKit

/// What `image-drop` takes, and what it would do with it.
public enum ImageAcceptance {
    /// Whether anything of a session is taken: exactly one item, and that an image, of whatever kind.
    public static func canHandle(_ session: any DropSession) -> Bool {
        session.hasItemsConforming(toTypeIdentifiers: [UniformType.image.identifier]) && session.items.count == 1
    }

    /// What a drop at a point would do: nothing outside of the frame; inside, move what is this program's own.
    public static func proposal(for session: any DropSession, at point: Point, in board: ImageBoard) -> DropProposal {
        guard board.frame.contains(point) else { return DropProposal(operation: .cancel) }
        return DropProposal(operation: session.localDragSession == nil ? .copy : .move)
    }
}
