import PasteboardCompatibility
import PasteboardKit

/// The role of a view with a drag and a drop interaction.
@MainActor
final class LibraryView: DragInteractionDelegate, DropInteractionDelegate {
    private let view = InteractionView()
    private var name: String?
    private var target: String?
    private var text = ""
    private var operation = DropOperation.copy
    private var waits = false
    private var allowsMoveBetweenProcesses = false

    init(_ words: [PeerWord]) throws {
        for word in words {
            switch (word.name, word.value) {
            case ("name", let value?): name = value
            case ("to", let value?): target = value
            case ("text", let value?): text = value
            case ("move", nil): operation = .move
            case ("waits", nil): waits = true
            case ("between", nil): allowsMoveBetweenProcesses = true
            default: throw Misuse()
            }
        }
        view.addInteraction(DragInteraction(delegate: self))
        view.addInteraction(DropInteraction(delegate: self))
    }

    func run(_ connection: PasteboardConnection) async throws {
        view.connection = connection
        if let name {
            try await view.register(as: name, connection: connection)
            LibraryPeer.say("registered")
        }
        guard let target else {
            while true { try await Task.sleep(for: .seconds(3_600)) }
        }
        guard let drag = try await view.beginDrag(at: .zero) else { throw Misuse() }
        do {
            LibraryPeer.say("proposal \(try await drag.move(to: DropLocation(target)).operation)")
        } catch {
            LibraryPeer.say("refused \(error.code)")
            await drag.cancel()
        }
        if waits { await Self.line() }
        _ = try? await drag.drop()
        switch try await drag.outcome() {
        case .failed(let error): LibraryPeer.say("outcome failed \(error.code)")
        case let outcome: LibraryPeer.say("outcome \(outcome)")
        }
    }

    /// Reads a line, but not on the main thread, which the interactions need.
    private static func line() async {
        await Task.detached { _ = readLine() }.value
    }

    func dragInteraction(_ interaction: DragInteraction, itemsForBeginning session: any DragSession) -> [DragItem] {
        let item = DragItem(itemProvider: ItemProvider(object: text))
        item.localObject = text
        return [item]
    }

    func dragInteraction(
        _ interaction: DragInteraction,
        sessionAllowsMoveBetweenProcesses session: any DragSession
    ) -> Bool { allowsMoveBetweenProcesses }

    func dragInteraction(_ interaction: DragInteraction, session: any DragSession, didEndWith operation: DropOperation)
    {
        LibraryPeer.say("didEnd \(operation)")
    }

    func dragInteraction(_ interaction: DragInteraction, sessionDidTransferItems session: any DragSession) {
        LibraryPeer.say("transferred")
    }

    func dropInteraction(_ interaction: DropInteraction, canHandle session: any DropSession) -> Bool {
        let isLocal = session.localDragSession != nil || session.items.contains { $0.localObject != nil }
        LibraryPeer.say("canHandle \(session.items.count) \(isLocal ? "local" : "foreign")")
        return session.canLoad(String.self)
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidEnter session: any DropSession) {
        LibraryPeer.say("enter")
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidUpdate session: any DropSession) -> DropProposal {
        LibraryPeer.say("update")
        return DropProposal(operation: operation)
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidExit session: any DropSession) {
        LibraryPeer.say("exit")
    }

    func dropInteraction(_ interaction: DropInteraction, performDrop session: any DropSession) {
        LibraryPeer.say("perform")
        session.extendDropWindow {
            let texts = try await session.load(String.self)
            LibraryPeer.say("loaded \(texts.map(Shown.text).joined(separator: ","))")
            if self.waits { await Self.line() }
        }
    }

    func dropInteraction(_ interaction: DropInteraction, concludeDrop session: any DropSession) {
        LibraryPeer.say("conclude")
    }

    func dropInteraction(_ interaction: DropInteraction, sessionDidEnd session: any DropSession) {
        LibraryPeer.say("end")
    }
}
