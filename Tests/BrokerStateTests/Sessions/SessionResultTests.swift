import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The items that `transferred` names after a drop, by the table of `ProtocolDragSessions.md`.
@Suite("Drag sessions: results", .pure) struct SessionResultTests {
    /// The end of a drop of two items.
    enum Event: CaseIterable {
        case complete, oneFailed, handlerFailed, conclusionFailed, oneLeft, notConcluded, destinationDied, cancelled

        var arrived: [UInt32] { self == .oneFailed || self == .oneLeft ? [0] : [0, 1] }

        func failure(of operation: DropOperation) -> ErrorCode? {
            switch self {
            case .complete: nil
            case .oneFailed: .sourceFailed
            case .handlerFailed, .conclusionFailed: .refused
            case .oneLeft: operation == .move ? .refused : nil
            case .notConcluded: operation == .move ? .timeout : nil
            case .destinationDied: .destinationGone
            case .cancelled: .cancelled
            }
        }

        func play(_ scene: inout DragScene) {
            scene.fetch(0)
            if self == .oneFailed {
                scene.load(1)
                _ = scene.framesToSource()
                scene.broker.send(Failure(.sourceFailed, "no"), on: scene.ask, from: scene.source)
            } else if self != .oneLeft {
                scene.fetch(1)
            }
            scene.performed([], self == .handlerFailed ? Failure(.refused, "no") : nil)
            switch self {
            case .complete, .oneFailed, .oneLeft: scene.conclude()
            case .conclusionFailed: scene.conclude([], Failure(.noSpace, "no"))
            case .notConcluded: scene.broker.advance(by: 30_000)
            case .destinationDied: scene.broker.disconnect(scene.destination)
            case .cancelled: scene.broker.send(Cancel(), on: scene.destinationStream, from: scene.destination)
            case .handlerFailed: break
            }
        }
    }

    /// The row of the table for a result.
    private static func row(_ operation: DropOperation, _ event: Event) -> (operation: String, failure: String) {
        let failure = event.failure(of: operation)
        guard operation == .move else { return ("copy", failure == nil ? "none" : "any") }
        guard failure != nil else { return ("move", "none") }
        return ("move", event == .oneLeft ? "refused, because the destination left some items" : "any other")
    }

    @Test("The failure of a destination behind a link keeps its code and its words")
    func link() {
        var scene = DragScene(isLink: true)
        scene.dropped(.copy)
        scene.fetch()
        scene.performed([], Failure(.destinationGone, "destination shelf has ended (on ada)"))
        let failure = scene.result().transferred?.failure
        #expect(failure == Failure(.destinationGone, "destination shelf has ended (on ada)"))
    }

    @Test(
        "Each result of a drop names the items that the table states",
        arguments: [DropOperation.copy, .move],
        Event.allCases
    )
    func items(_ operation: DropOperation, _ event: Event) throws {
        let document = try Document("Sources/PasteboardWire/PasteboardWire.docc/ProtocolDragSessions.md")
        let table = document.table("operation")
        let (name, failure) = Self.row(operation, event)
        let cells = try #require(table.first { $0[0] == name && $0[1] == failure })
        let expected: [String: [UInt32]] = [
            "the items that have arrived": event.arrived, "all items of the session": [0, 1], "none": [],
        ]
        var scene = DragScene(dropReports: true)
        scene.dropped(operation, DragScene.two)
        event.play(&scene)
        let transferred = try #require(scene.result().transferred)
        #expect(transferred.failure?.code == event.failure(of: operation))
        #expect(transferred.items == expected[cells[2]])
    }
}
