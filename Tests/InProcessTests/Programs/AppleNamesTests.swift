import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

@testable import AppleNames

/// A module that builds on Apple's systems, too.
@Suite(.inProcess) struct AppleNamesTests {
    @Test("A text is copied and pasted")
    func clipboard() async throws {
        try await TestBroker.serving { broker in
            let clipboard = Clipboard(pasteboard: UIPasteboard(broker.pasteboard()))
            #expect(clipboard.text == nil)
            clipboard.text = "first light"
            #expect(Clipboard(pasteboard: UIPasteboard(broker.pasteboard())).text == "first light")
        }
    }

    @Test("A note is dragged to another one by code that has Apple's names")
    @MainActor func noteView() async throws {
        try await DragBroker.with { broker in
            let (source, destination) = (NoteView(text: "first light"), NoteView(text: ""))
            source.view.connection = broker.connect()
            try await destination.view.register(as: "note", connection: broker.connect())
            let drag = try #require(try await source.view.beginDrag(at: CGPoint(x: 1, y: 1)))
            #expect(try await drag.move(to: DropLocation("note")).operation == .copy)
            try await drag.drop()
            #expect(try await drag.outcome().text == "transferred copy")
            try await eventually("the text") { destination.text == "first light" }
        }
    }
}
