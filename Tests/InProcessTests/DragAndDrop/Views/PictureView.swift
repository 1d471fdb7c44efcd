import FoundationEssentials
import PasteboardKit
import SampleModels
import TestSupport

/// Apple's custom-view sample: a view with a picture in a frame, which is dragged out of it and dropped into it.
@MainActor
final class PictureView: DragInteractionDelegate, DropInteractionDelegate {
    let view: InteractionView
    let imageView: InteractionView
    private(set) var changes: ImageChanges
    private(set) var events: [String] = []
    /// Whether the view accepts any number of items.
    var takesSeveral = false
    /// Items to drag instead of the picture.
    var items: [DragItem]?
    private var operation = DropOperation.cancel

    init(_ picture: Picture?, on connection: PasteboardConnection) {
        changes = ImageChanges(ImageBoard(picture))
        view = InteractionView(frame: changes.board.bounds)
        imageView = InteractionView(frame: changes.board.frame)
        view.connection = connection
        view.addSubview(imageView)
        view.addInteraction(DropInteraction(delegate: self))
        imageView.addInteraction(DragInteraction(delegate: self))
    }

    var picture: Picture? { changes.board.picture }

    func register(_ name: String = "pictures") async throws {
        try await view.register(as: name, connection: view.connection)
    }

    /// Begins a drag in the middle of the frame.
    func drag() async throws -> PasteboardKit.Drag? {
        try await view.beginDrag(at: Point(x: 50, y: 50))
    }

    /// Returns as soon as the event has happened.
    func happened(_ event: String) async throws {
        try await eventually(event) { events.contains(event) }
    }

    private func refreshFeedback(for session: any DropSession) -> Point {
        let point = session.location(in: view)
        events.append("feedback \(Int(point.x)),\(Int(point.y))")
        return point
    }

    // MARK: Dragging

    func dragInteraction(_ interaction: DragInteraction, itemsForBeginning session: any DragSession) -> [DragItem] {
        items ?? ImagePackaging.items(for: changes.board)
    }

    func dragInteraction(
        _ interaction: DragInteraction,
        session: any DragSession,
        didEndWith operation: DropOperation
    ) {
        self.operation = operation
    }

    func dragInteraction(_ interaction: DragInteraction, sessionDidTransferItems session: any DragSession) {
        guard operation == .move, let picture = session.items.first?.localObject as? Picture else { return }
        if changes.remove(picture) { events.append("removed") }
    }

    // MARK: Dropping

    func dropInteraction(_ interaction: DropInteraction, canHandle session: any DropSession) -> Bool {
        takesSeveral || ImageAcceptance.canHandle(session)
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidEnter session: any DropSession) {
        events.append("enter \(session.items.map { $0.itemProvider.suggestedName ?? "-" }.joined(separator: ","))")
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidUpdate session: any DropSession) -> DropProposal {
        let proposal = ImageAcceptance.proposal(
            for: session,
            at: refreshFeedback(for: session),
            in: changes.board
        )
        // All drags of a test have their source in this process. The broker treats some as drags of other processes.
        let isForeign = proposal.operation == .move && !session.allowsMoveOperation
        return isForeign ? DropProposal(operation: .copy) : proposal
    }

    func dropInteraction(_ interaction: DropInteraction, performDrop session: any DropSession) {
        session.loadObjects(ofClass: Picture.self) { [self] pictures in
            MainActor.assertIsolated()
            events.append("loaded \(pictures.count)")
            _ = changes.show(pictures)
        }
        _ = refreshFeedback(for: session)
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidEnd session: any DropSession) {
        events.append("end")
    }
}

extension DragItem {
    /// An item of a type, whose bytes are the name.
    static func named(_ name: String, as type: UniformType) -> DragItem {
        let provider = ItemProvider()
        provider.suggestedName = name
        provider.registerDataRepresentation(for: type) { Data(name.utf8) }
        return DragItem(itemProvider: provider)
    }
}
