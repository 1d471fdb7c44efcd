import PasteboardCompatibility
import PasteboardKit

/// A delegate of a drop interaction that behaves as a test wants and records its calls.
@MainActor
final class TracedTarget: DropInteractionDelegate {
    let name: String
    let trace: InteractionTrace
    var canHandle: @MainActor (any DropSession) -> Bool = { _ in true }
    var proposal: @MainActor (any DropSession) -> DropProposal = { _ in .copy }
    /// By default, a drop loads all texts.
    var perform: (@MainActor (any DropSession) -> Void)?
    var exits: @MainActor (any DropSession) -> Void = { _ in }
    private(set) var texts: [String] = []

    init(_ name: String, _ trace: InteractionTrace) {
        self.name = name
        self.trace = trace
    }

    func tell(_ event: String) {
        trace.add(event, to: name)
    }

    func dropInteraction(_ interaction: DropInteraction, canHandle session: any DropSession) -> Bool {
        let canHandle = canHandle(session)
        tell("canHandle \(session.items.count) \(canHandle)")
        return canHandle
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidEnter session: any DropSession) {
        tell("enter")
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidUpdate session: any DropSession) -> DropProposal {
        tell("update")
        return proposal(session)
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidExit session: any DropSession) {
        tell("exit")
        exits(session)
    }

    func dropInteraction(_ interaction: DropInteraction, performDrop session: any DropSession) {
        tell("perform")
        guard perform == nil else {
            perform?(session)
            return
        }
        session.loadObjects(ofClass: String.self) { texts in
            self.texts += texts
            self.tell("loaded \(texts.joined(separator: " "))")
        }
    }

    func dropInteraction(_ interaction: DropInteraction, concludeDrop session: any DropSession) {
        tell("conclude")
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidEnd session: any DropSession) {
        tell("end")
    }
}
