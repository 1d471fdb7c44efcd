import Foundation
import PasteboardCompatibility

/// A wall with a frame on it. The wall takes drops, but only where the frame hangs; the picture in the frame can be dragged.
@MainActor
final class PictureFrame: NSObject {
    let wall = InteractionView(frame: Rect(x: 0, y: 0, width: 400, height: 300))
    let frameView = InteractionView(frame: Rect(x: 100, y: 50, width: 200, height: 200))
    private(set) var picture: Data?
    private(set) var caption: String
    private(set) var lastDropPoint = Point.zero

    init(picture: Data? = nil, caption: String = "") {
        self.picture = picture
        self.caption = caption
        super.init()
        wall.addSubview(frameView)
        frameView.isUserInteractionEnabled = true
        frameView.addInteraction(DragInteraction(delegate: self))
        wall.addInteraction(DropInteraction(delegate: self))
    }

    private func load(from itemProvider: ItemProvider) {
        let name = itemProvider.suggestedName ?? "untitled"
        itemProvider.loadDataRepresentation(forTypeIdentifier: UniformType.image.identifier) { data, error in
            DispatchQueue.main.async {
                self.picture = data
                self.caption = error == nil ? name : "not loaded"
            }
        }
    }
}

extension PictureFrame: DragInteractionDelegate {
    func dragInteraction(
        _ interaction: DragInteraction,
        itemsForBeginning session: DragSession
    ) -> [DragItem] {
        guard let picture = picture else { return [] }
        let itemProvider = ItemProvider()
        itemProvider.suggestedName = caption
        itemProvider.registerDataRepresentation(
            forTypeIdentifier: UniformType.png.identifier,
            visibility: .all
        ) { completion in
            completion(picture, nil)
            return nil
        }
        return [DragItem(itemProvider: itemProvider)]
    }

    func dragInteraction(
        _ interaction: DragInteraction,
        sessionIsRestrictedToDraggingApplication session: DragSession
    ) -> Bool {
        false
    }
}

extension PictureFrame: DropInteractionDelegate {
    func dropInteraction(_ interaction: DropInteraction, canHandle session: DropSession) -> Bool {
        session.hasItemsConforming(toTypeIdentifiers: [UniformType.image.identifier]) && session.items.count == 1
    }

    func dropInteraction(
        _ interaction: DropInteraction,
        sessionDidUpdate session: DropSession
    ) -> DropProposal {
        lastDropPoint = session.location(in: wall)
        let operation: DropOperation
        if frameView.frame.contains(lastDropPoint) {
            operation = session.localDragSession == nil ? .copy : .move
        } else {
            operation = .cancel
        }
        return DropProposal(operation: operation)
    }

    func dropInteraction(_ interaction: DropInteraction, performDrop session: DropSession) {
        for item in session.items {
            load(from: item.itemProvider)
        }
    }
}
