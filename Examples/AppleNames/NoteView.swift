import Foundation

#if canImport(UIKit)
import UIKit
import UniformTypeIdentifiers
#else
import PasteboardCompatibility
#endif

#if canImport(UIKit) || !canImport(AppKit)
/// A view with a note that can be dragged, and that takes the text of others. The same code is written for UIKit.
@MainActor
final class NoteView: NSObject, UIDragInteractionDelegate, UIDropInteractionDelegate {
    let view = UIView(frame: CGRect(x: 0, y: 0, width: 100, height: 50))
    var text: String

    init(text: String) {
        self.text = text
        super.init()
        view.addInteraction(UIDragInteraction(delegate: self))
        view.addInteraction(UIDropInteraction(delegate: self))
    }

    func itemProvider() -> NSItemProvider {
        let provider = NSItemProvider(object: text as NSString)
        provider.suggestedName = "note"
        let page = Data("<p>\(text)".utf8)
        provider.registerDataRepresentation(
            forTypeIdentifier: UTType.html.identifier,
            visibility: .all
        ) { completion in
            completion(page, nil)
            return nil
        }
        return provider
    }

    func dragInteraction(
        _ interaction: UIDragInteraction,
        itemsForBeginning session: any UIDragSession
    ) -> [UIDragItem] {
        [UIDragItem(itemProvider: itemProvider())]
    }

    func dropInteraction(
        _ interaction: UIDropInteraction,
        sessionDidUpdate session: any UIDropSession
    ) -> UIDropProposal {
        UIDropProposal(operation: .copy)
    }

    func dropInteraction(_ interaction: UIDropInteraction, performDrop session: any UIDropSession) {
        for item in session.items {
            _ = item.itemProvider.loadObject(ofClass: String.self) { text, _ in
                Task { @MainActor in self.text = text ?? "" }
            }
        }
    }
}
#endif
