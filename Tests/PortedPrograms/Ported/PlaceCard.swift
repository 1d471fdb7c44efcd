import Foundation
import PasteboardCompatibility

/// A card with the name of a place. It can be dragged to another card, and takes names from elsewhere.
@MainActor
final class PlaceCard: NSObject, DragInteractionDelegate, DropInteractionDelegate {
    let view: InteractionView
    private(set) var place: String?
    private(set) var isHighlighted = false
    private var isMoved = false

    init(frame: Rect, place: String?) {
        view = InteractionView(frame: frame)
        self.place = place
        super.init()
        view.isUserInteractionEnabled = true
        let dragInteraction = DragInteraction(delegate: self)
        dragInteraction.isEnabled = true
        view.addInteraction(dragInteraction)
        view.addInteraction(DropInteraction(delegate: self))
    }

    // MARK: - DragInteractionDelegate

    func dragInteraction(
        _ interaction: DragInteraction,
        itemsForBeginning session: DragSession
    ) -> [DragItem] {
        guard let place = place else { return [] }
        let dragItem = DragItem(itemProvider: ItemProvider(object: place as String))
        dragItem.localObject = place
        session.localContext = self
        return [dragItem]
    }

    func dragInteraction(
        _ interaction: DragInteraction,
        session: DragSession,
        didEndWith operation: DropOperation
    ) {
        isMoved = operation == .move
    }

    func dragInteraction(_ interaction: DragInteraction, sessionDidTransferItems session: DragSession) {
        if isMoved { place = nil }
    }

    // MARK: - DropInteractionDelegate

    func dropInteraction(_ interaction: DropInteraction, canHandle session: DropSession) -> Bool {
        session.items.count == 1
            && session.hasItemsConforming(toTypeIdentifiers: [UniformType.plainText.identifier as String])
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidEnter session: DropSession) {
        isHighlighted = true
    }

    func dropInteraction(
        _ interaction: DropInteraction,
        sessionDidUpdate session: DropSession
    ) -> DropProposal {
        guard let dragSession = session.localDragSession else {
            return DropProposal(operation: .copy)
        }
        if dragSession.localContext as? PlaceCard === self {
            return DropProposal(operation: .forbidden)
        }
        return DropProposal(operation: session.allowsMoveOperation ? .move : .copy)
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidExit session: DropSession) {
        isHighlighted = false
    }

    func dropInteraction(_ interaction: DropInteraction, performDrop session: DropSession) {
        if let place = session.items.first?.localObject as? String {
            self.place = place
            return
        }
        session.loadObjects(ofClass: String.self) { places in
            if let place = places.first { self.place = place }
        }
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidEnd session: DropSession) {
        isHighlighted = false
    }
}
