public import Foundation
public import PasteboardKit

/// The rules of `image-drop`: which drops it accepts and which operation it proposes.
public enum ImageAcceptance {
    /// Whether a session is accepted: it must have exactly one item, and the item must be an image of any kind.
    public static func canHandle(_ session: any DropSession) -> Bool {
        session.canLoad(UniformType.image) && session.items.count == 1
    }

    /// The proposal at a point: nothing outside of the frame; inside, a move for this program's own picture.
    public static func proposal(for session: any DropSession, at point: CGPoint, in board: ImageBoard) -> DropProposal {
        guard board.frame.contains(point) else { return DropProposal(operation: .cancel) }
        return DropProposal(operation: session.localDragSession == nil ? .copy : .move)
    }
}
