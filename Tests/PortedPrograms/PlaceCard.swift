import PasteboardCompatibility

/// A card with the name of a place. It can be dragged to another card, and takes names from elsewhere.
@MainActor
final class PlaceCard: NSObject, UIDragInteractionDelegate, UIDropInteractionDelegate {
    let view: UIView
    private(set) var place: String?
    private(set) var isHighlighted = false
    private var isMoved = false

    init(frame: CGRect, place: String?) {
        view = UIView(frame: frame)
        self.place = place
        super.init()
        view.isUserInteractionEnabled = true
        let dragInteraction = UIDragInteraction(delegate: self)
        dragInteraction.isEnabled = true
        view.addInteraction(dragInteraction)
        view.addInteraction(UIDropInteraction(delegate: self))
    }

    // MARK: - UIDragInteractionDelegate

    func dragInteraction(
        _ interaction: UIDragInteraction,
        itemsForBeginning session: UIDragSession
    ) -> [UIDragItem] {
        guard let place = place else { return [] }
        let dragItem = UIDragItem(itemProvider: NSItemProvider(object: place as NSString))
        dragItem.localObject = place
        session.localContext = self
        return [dragItem]
    }

    func dragInteraction(
        _ interaction: UIDragInteraction,
        session: UIDragSession,
        didEndWith operation: UIDropOperation
    ) {
        isMoved = operation == .move
    }

    func dragInteraction(_ interaction: UIDragInteraction, sessionDidTransferItems session: UIDragSession) {
        if isMoved { place = nil }
    }

    // MARK: - UIDropInteractionDelegate

    func dropInteraction(_ interaction: UIDropInteraction, canHandle session: UIDropSession) -> Bool {
        session.items.count == 1
            && session.hasItemsConforming(toTypeIdentifiers: [kUTTypePlainText as String])
    }

    func dropInteraction(_ interaction: UIDropInteraction, sessionDidEnter session: UIDropSession) {
        isHighlighted = true
    }

    func dropInteraction(
        _ interaction: UIDropInteraction,
        sessionDidUpdate session: UIDropSession
    ) -> UIDropProposal {
        guard let dragSession = session.localDragSession else {
            return UIDropProposal(operation: .copy)
        }
        if dragSession.localContext as? PlaceCard === self {
            return UIDropProposal(operation: .forbidden)
        }
        return UIDropProposal(operation: session.allowsMoveOperation ? .move : .copy)
    }

    func dropInteraction(_ interaction: UIDropInteraction, sessionDidExit session: UIDropSession) {
        isHighlighted = false
    }

    func dropInteraction(_ interaction: UIDropInteraction, performDrop session: UIDropSession) {
        if let place = session.items.first?.localObject as? String {
            self.place = place
            return
        }
        session.loadObjects(ofClass: String.self) { places in
            if let place = places.first { self.place = place }
        }
    }

    func dropInteraction(_ interaction: UIDropInteraction, sessionDidEnd session: UIDropSession) {
        isHighlighted = false
    }
}
