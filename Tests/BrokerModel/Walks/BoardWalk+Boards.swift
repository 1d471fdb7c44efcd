import BrokerState
import PasteboardWire

// Boards: their clears, lists and watches, and created ones.
extension BoardWalk {
    mutating func ask(as peer: PeerID) -> String {
        switch choices.number(in: 0..<3) {
        case 0: broker.clear(board(), from: peer)
        case 1:
            var list = List()
            list.board = board()
            broker.send(list, on: broker.newStream(of: peer), from: peer)
        default: broker.send(Status(), on: broker.newStream(of: peer), from: peer)
        }
        return "clear, list or status"
    }

    /// Watches, creates and removes boards.
    mutating func useBoards(as peer: PeerID) -> String {
        switch choices.number(in: 0..<8) {
        case 0:
            broker.send(CreateBoard(), on: broker.newStream(of: peer), from: peer)
            return "create a board"
        case 1:
            var clear = Clear()
            clear.board = board()
            clear.removesBoard = true
            clear.requires = [Feature.boards.rawValue]
            broker.send(clear, on: broker.newStream(of: peer), from: peer)
            return "remove a board"
        case 2..<5: return watch(as: peer)
        default: return steerWatch()
        }
    }

    private mutating func watch(as peer: PeerID) -> String {
        let board = chance(70) ? self.board() : nil
        let since = chance(30) ? (choices.number(in: 5_000...5_010) as UInt64) : nil
        let credit = (choices.number(in: 0...20) as UInt64)
        let epochs: [UInt64?] = [nil, 76, 76, 77]
        let epoch = leavesContents && since != nil ? choices.element(of: epochs) ?? nil : nil
        let isOfAll = board == nil && chance(80)
        let stream =
            isOfAll
            ? broker.watchAll(since: since, epoch: epoch, credit: credit, from: peer)
            : broker.watch(board, since: since, epoch: epoch, credit: credit, from: peer)
        watches.append((WalkStream(peer: peer, id: stream), credit, 0, 0))
        return "watch"
    }

    /// Grants credit for a watch or ends it, ends a created board, or lets a peer read its changes.
    private mutating func steerWatch() -> String {
        if chance(20) { broker.readsChanges.toggle() }
        for peer in peers where chance(50) { broker.continueChanges(for: peer) }
        // A change that has been sent belongs to a watch that is still open.
        listen()
        if chance(30), let board = choices.element(of: createdBoards) {
            broker.send(Cancel(), on: board.stream.id, from: board.stream.peer)
            createdBoards.removeAll { $0.stream == board.stream }
            return "end a created board"
        }
        guard let index = choices.element(of: watches.indices) else { return "nothing" }
        let watch = watches[index]
        if chance(20) {
            watches.remove(at: index)
            broker.send(Cancel(), on: watch.stream.id, from: watch.stream.peer)
            return "cancel a watch"
        }
        let credit = (choices.number(in: 0...40) as UInt64)
        watches[index].granted = max(watch.granted, credit)
        broker.credit(credit, on: watch.stream.id, from: watch.stream.peer)
        return "credit of a watch"
    }

    mutating func hear(_ change: Change, on stream: WalkStream) {
        changesSeen += 1
        guard let index = watches.firstIndex(where: { $0.stream == stream }) else {
            return broken.append("a change came after the end of its watch")
        }
        watches[index].sent += 1
        // The counts of another epoch are lower. The total change count grows with every report.
        let own = change.epoch == broker.epoch ? change.changeCount ?? 0 : watches[index].count
        if change.totalChangeCount == watches[index].count { broken.append("a change came twice") }
        let count = change.totalChangeCount ?? own
        if watches[index].sent > watches[index].granted { broken.append("a change came without credit") }
        if count < watches[index].count { broken.append("a change count has decreased from \(watches[index].count)") }
        watches[index].count = count
    }
}
