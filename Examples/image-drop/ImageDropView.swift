import PasteboardCompatibility
import PasteboardKit
import SampleModels
import Stage

/// A view with a picture in its frame. The whole view accepts sessions; drags begin in the frame.
@MainActor
final class ImageDropView {
    let label: String?
    let view: InteractionView
    let imageView: InteractionView
    private var board: ImageBoard
    private let trace: TraceLog
    /// The final operation of the drag that began here.
    private var operation = DropOperation.cancel

    init(_ label: String?, picture: Picture?, trace: TraceLog) {
        self.label = label
        self.trace = trace
        board = ImageBoard(picture)
        view = InteractionView(frame: board.bounds)
        imageView = InteractionView(frame: board.frame)
        view.addSubview(imageView)
        view.addInteraction(DropInteraction(delegate: self))
        imageView.addInteraction(DragInteraction(delegate: self))
        imageView.isUserInteractionEnabled = true
    }

    func show() {
        trace.line("shown", label, board.picture?.description ?? "nothing")
    }

    func replace(by picture: Picture?) {
        board.picture = picture
        show()
    }

    /// Accepts a picture of this process, and clears the local context if the picture has returned to its source.
    /// Otherwise the source removes the picture.
    private func accept(_ picture: Picture, of session: any DropSession) {
        let source = session.localDragSession?.localContext as? ImageDropView
        if source === self { session.localDragSession?.localContext = nil }
        if board.show([picture]) { show() }
    }

    private func refreshFeedback(for session: any DropSession) -> CGPoint {
        let point = session.location(in: view)
        let isInside = board.frame.contains(point)
        trace.line("feedback", label, "\(point.x),\(point.y)", isInside ? "inside" : "outside")
        return point
    }
}

extension ImageDropView: DragInteractionDelegate {
    func dragInteraction(_ interaction: DragInteraction, itemsForBeginning session: any DragSession) -> [DragItem] {
        session.localContext = self
        return ImagePackaging.items(for: board)
    }

    func dragInteraction(
        _ interaction: DragInteraction,
        itemsForAddingTo session: any DragSession,
        withTouchAt point: CGPoint
    ) -> [DragItem] {
        ImagePackaging.items(for: board)
    }

    func dragInteraction(_ interaction: DragInteraction, sessionWillBegin session: any DragSession) {
        trace.line("will-begin", label)
    }

    func dragInteraction(
        _ interaction: DragInteraction,
        session: any DragSession,
        willEndWith operation: DropOperation
    ) {
        trace.line("will-end", label, "\(operation)")
    }

    func dragInteraction(
        _ interaction: DragInteraction,
        session: any DragSession,
        didEndWith operation: DropOperation
    ) {
        trace.line("did-end", label, "\(operation)")
        self.operation = operation
    }

    func dragInteraction(_ interaction: DragInteraction, sessionDidTransferItems session: any DragSession) {
        trace.line("transferred", label)
        guard operation == .move, session.localContext != nil else { return }
        guard let picture = session.items.first?.localObject as? Picture else { return }
        if board.remove(picture) { show() }
    }
}

extension ImageDropView: DropInteractionDelegate {
    func dropInteraction(_ interaction: DropInteraction, canHandle session: any DropSession) -> Bool {
        let canHandle = ImageAcceptance.canHandle(session)
        trace.line("can-handle", label, canHandle ? "yes" : "no")
        return canHandle
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidEnter session: any DropSession) {
        trace.line("enter", label)
    }

    func dropInteraction(
        _ interaction: DropInteraction,
        sessionDidUpdate session: any DropSession
    ) -> DropProposal {
        let point = refreshFeedback(for: session)
        let proposal = ImageAcceptance.proposal(for: session, at: point, in: board)
        trace.line("update", label, "\(proposal.operation)")
        return proposal
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidExit session: any DropSession) {
        trace.exit(label, session)
    }

    func dropInteraction(_ interaction: DropInteraction, performDrop session: any DropSession) {
        trace.line("perform", label, "\(session.items.count)")
        if let picture = session.items.first?.localObject as? Picture {
            accept(picture, of: session)
        } else {
            trace.load(session)
            session.loadObjects(ofClass: Picture.self) { [self] pictures in
                if board.show(pictures) { show() } else { trace.line("loaded nothing", label) }
                trace.loaded(session)
            }
        }
        _ = refreshFeedback(for: session)
    }

    func dropInteraction(_ interaction: DropInteraction, concludeDrop session: any DropSession) {
        trace.line("conclude", label)
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidEnd session: any DropSession) {
        trace.end(label, session)
    }
}
