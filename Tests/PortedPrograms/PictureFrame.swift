import PasteboardCompatibility

/// A wall with a frame on it. The wall takes drops, but only where the frame hangs; the picture in the frame can be dragged.
@MainActor
final class PictureFrame: NSObject {
    let wall = UIView(frame: CGRect(x: 0, y: 0, width: 400, height: 300))
    let frameView = UIView(frame: CGRect(x: 100, y: 50, width: 200, height: 200))
    private(set) var picture: Data?
    private(set) var caption: String
    private(set) var lastDropPoint = CGPoint.zero

    init(picture: Data? = nil, caption: String = "") {
        self.picture = picture
        self.caption = caption
        super.init()
        wall.addSubview(frameView)
        frameView.isUserInteractionEnabled = true
        frameView.addInteraction(UIDragInteraction(delegate: self))
        wall.addInteraction(UIDropInteraction(delegate: self))
    }

    private func load(from itemProvider: NSItemProvider) {
        let name = itemProvider.suggestedName ?? "untitled"
        itemProvider.loadDataRepresentation(forTypeIdentifier: UTType.image.identifier) { data, error in
            DispatchQueue.main.async {
                self.picture = data
                self.caption = error == nil ? name : "not loaded"
            }
        }
    }
}

extension PictureFrame: UIDragInteractionDelegate {
    func dragInteraction(
        _ interaction: UIDragInteraction,
        itemsForBeginning session: UIDragSession
    ) -> [UIDragItem] {
        guard let picture = picture else { return [] }
        let itemProvider = NSItemProvider()
        itemProvider.suggestedName = caption
        itemProvider.registerDataRepresentation(
            forTypeIdentifier: UTType.png.identifier,
            visibility: .all
        ) { completion in
            completion(picture, nil)
            return nil
        }
        return [UIDragItem(itemProvider: itemProvider)]
    }

    func dragInteraction(
        _ interaction: UIDragInteraction,
        sessionIsRestrictedToDraggingApplication session: UIDragSession
    ) -> Bool {
        false
    }
}

extension PictureFrame: UIDropInteractionDelegate {
    func dropInteraction(_ interaction: UIDropInteraction, canHandle session: UIDropSession) -> Bool {
        session.hasItemsConforming(toTypeIdentifiers: [UTType.image.identifier]) && session.items.count == 1
    }

    func dropInteraction(
        _ interaction: UIDropInteraction,
        sessionDidUpdate session: UIDropSession
    ) -> UIDropProposal {
        lastDropPoint = session.location(in: wall)
        let operation: UIDropOperation
        if frameView.frame.contains(lastDropPoint) {
            operation = session.localDragSession == nil ? .copy : .move
        } else {
            operation = .cancel
        }
        return UIDropProposal(operation: operation)
    }

    func dropInteraction(_ interaction: UIDropInteraction, performDrop session: UIDropSession) {
        for item in session.items {
            load(from: item.itemProvider)
        }
    }
}
