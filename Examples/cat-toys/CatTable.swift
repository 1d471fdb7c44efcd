import FoundationEssentials
import PasteboardKit
import SampleModels
import Stage
import TableDragAndDrop

/// The table of one cat, and its delegates. It does not change the model itself.
@MainActor
final class CatTable {
    let table = Table()
    let cat: String
    /// The owner of the model. Without it a drop changes nothing.
    weak var owner: CatToysProgram?
    private let allowsLeaving: Bool
    private let packaging: ToyPackaging
    private let trace: TraceLog

    init(_ cat: String, allowsLeaving: Bool, trace: TraceLog) {
        self.cat = cat
        self.allowsLeaving = allowsLeaving
        self.trace = trace
        packaging = ToyPackaging { trace.line("asked", $0) }
        table.dataSource = self
        table.dragDelegate = self
        table.dropDelegate = self
    }

    func show() {
        let toys = owner?.toys[cat] ?? []
        trace.show(cat, table) { toys[$0] }
    }

    /// Loads the first toy and its origin. If a step fails, the toy stays at its source, so there are never two.
    private func accept(_ item: DragItem, from origin: ToyAcceptance.Origin) async throws {
        let (toy, home) = try await load(item, from: origin)
        if origin == .unknown { return trace.line("unknown", cat, toy) }
        guard let owner else {
            trace.line("lost", cat, toy)
            throw PasteboardError(.refused, message: "there is nobody who could give \(toy) to \(cat)")
        }
        if case .here(let origin) = origin {
            owner.move(toy, from: origin, to: cat)
        } else {
            owner.arrive(toy, from: home, to: cat)
        }
    }

    private func load(
        _ item: DragItem,
        from origin: ToyAcceptance.Origin
    ) async throws -> (toy: String, home: String) {
        do {
            let toy = try await item.itemProvider.load(String.self)
            guard origin == .elsewhere else { return (toy, "") }
            let home = try await item.itemProvider.loadData(for: .toyOrigin)
            return (toy, String(decoding: home, as: UTF8.self))
        } catch {
            trace.line("loaded nothing", cat)
            throw error
        }
    }
}

extension CatTable: TableDataSource {
    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int {
        owner?.toys[cat].count ?? 0
    }
}

extension CatTable: TableDragDelegate {
    func tableView(
        _ tableView: Table,
        itemsForBeginning session: any DragSession,
        at indexPath: IndexPath
    ) -> [DragItem] {
        guard let toys = owner?.toys[cat], toys.indices.contains(indexPath.row) else { return [] }
        session.localContext = cat
        return packaging.items(for: toys[indexPath.row], of: cat)
    }

    func tableView(_ tableView: Table, dragSessionWillBegin session: any DragSession) {
        trace.line("will-begin", cat)
    }

    func tableView(_ tableView: Table, dragSessionAllowsMoveBetweenProcesses session: any DragSession) -> Bool {
        allowsLeaving
    }

    func tableView(_ tableView: Table, dragSessionDidEnd session: any DragSession) {
        trace.line("did-end", cat)
    }

    func tableView(
        _ tableView: Table,
        dragSession session: any DragSession,
        didTransferItemsBy operation: DropOperation
    ) {
        trace.line("transferred", cat)
        // The toy leaves before the outcome is known: another process has it, so it must not be dragged again.
        if operation == .move { leave(session.items, of: session) }
    }

    /// Removes toys that have moved to another process, once it has them.
    func leave(_ items: [DragItem], of session: any DragSession) {
        // The context was cleared if the toy has moved within this process.
        guard let origin = session.localContext as? String else { return }
        for case let toy as String in items.map(\.localObject) { owner?.leave(toy, from: origin) }
    }
}

extension CatTable: TableDropDelegate {
    func tableView(_ tableView: Table, dropSessionDidEnter session: any DropSession) {
        trace.line("enter", cat)
    }

    func tableView(
        _ tableView: Table,
        dropSessionDidUpdate session: any DropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> TableDropProposal {
        let proposal = ToyAcceptance.proposal(for: session)
        trace.update(cat, destinationIndexPath, proposal)
        return proposal
    }

    func tableView(_ tableView: Table, dropSessionDidExit session: any DropSession) {
        trace.exit(cat, session)
    }

    func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
        trace.perform(cat, coordinator)
        let session = coordinator.session
        guard let item = ToyAcceptance.toy(of: session) else { return trace.line("no toy", cat) }
        let origin = ToyAcceptance.origin(of: session)
        session.extendDropWindow { [self] in
            try await accept(item, from: origin)
            session.localDragSession?.localContext = nil
        }
    }

    func tableView(_ tableView: Table, dropSessionDidEnd session: any DropSession) {
        trace.end(cat, session)
    }
}
