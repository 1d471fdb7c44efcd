import FoundationEssentials
import PasteboardKit
import TestSupport
import Testing

@Suite("Destination names", .inProcess)
@MainActor
struct DestinationNamesTests {
    private final class Source: DragInteractionDelegate {
        func dragInteraction(
            _ interaction: DragInteraction,
            itemsForBeginning session: any DragSession
        ) -> [DragItem] {
            [DragItem(itemProvider: ItemProvider(object: "Yosemite"))]
        }
    }

    @Test("every client sees the names to which drags can be directed, and no other names")
    func names() async throws {
        try await DragBroker.with { broker in
            let own = broker.connect()
            let other = broker.connect()
            #expect(try await DropDestination.names(connection: own).isEmpty)

            let west = InteractionView(frame: Rect(x: 0, y: 0, width: 10, height: 10))
            let east = InteractionView()
            try await west.register(as: "west", connection: own)
            try await east.register(as: "east", connection: other)
            #expect(try await DropDestination.names(connection: own) == ["east", "west"])
            #expect(try await DropDestination.names(connection: other) == ["east", "west"])

            // After a drag from a view, the view has a second name, which only this process may use.
            let source = Source()
            west.addInteraction(DragInteraction(delegate: source))
            let drag = try #require(try await west.beginDrag(at: Point(x: 1, y: 1)))
            #expect(try await DropDestination.names(connection: own) == ["east", "west"])
            await drag.cancel()
        }
    }
}
