import BrokerState
import PasteboardWire

/// A walk through boards whose broker is killed, or replaced by a takeover, again and again. Its peers may reclaim at
/// the next broker what they had at an earlier one.
///
/// The service manager may have taken only the first of the last changes before a kill.
struct RestartWalk: WalkPart {
    private let choices: Choices
    private var boards: BoardWalk
    private var noted: [String] = []
    /// The contents that were restored, those that came back with their writer, and the changes that a death prevented.
    private var restored = 0
    private var reclaimed = 0
    private var prevented = 0

    var broker: StateHarness { boards.broker }

    init(_ broker: StateHarness, _ choices: Choices) {
        self.choices = choices
        broker.setSaving(true)
        boards = BoardWalk(broker, choices, form: 2)
    }

    mutating func step() -> String { choices.chance(2) ? restart() : boards.step() }

    private mutating func restart() -> String {
        let isTakeover = choices.chance(20)
        if isTakeover {
            broker.beginTakeover()
        } else {
            let saved = broker.savedEarlier.suffix(5) + [broker.saved]
            let index = choices.number(in: saved.indices)
            prevented += saved.endIndex - 1 - index
            broker.saved = saved[index]
        }
        var failures: [Failure] = []
        let successor = broker.successor(later: choices.number(in: 0...1_000), failures: &failures)
        // Their time is over, or a newer description was restored.
        let others = failures.filter { $0.code != .nothingHere && $0.code != .superseded }
        if !others.isEmpty { noted.append("contents were not restored: \(others)") }
        let expected = counts(of: broker.saved.values, at: successor)
        if successor.boardCounts != expected {
            noted.append("the boards have \(successor.boardCounts) instead of \(expected)")
        }
        restored += expected.count
        reclaimed += boards.reclaimsSeen
        let counts = boards.counts
        noted += boards.broken
        boards = BoardWalk(successor, choices, form: 2)
        boards.counts = counts.map { (nil, $0.board, $0.changeCount, $0.epoch) }
        return isTakeover ? "takeover by a successor" : "kill"
    }

    /// The change counts of boards with the newest of the saved contents, unless their time is over.
    private func counts(of saved: some Sequence<SavedEntry>, at broker: StateHarness) -> [String: [UInt64]] {
        let newest = Dictionary(grouping: saved, by: \.contents.board).compactMapValues { entries in
            entries.filter { $0.contents.expiresAt.map { $0 > broker.bootTime } ?? true }
                .max { ($0.contents.changeCount ?? 0, $0.number) < ($1.contents.changeCount ?? 0, $1.number) }
        }
        return newest.mapValues { [$0.contents.changeCount ?? 0, $0.contents.epoch ?? 0] }
    }

    mutating func finish() { boards.finish() }

    var broken: [String] { noted + boards.broken }

    var missing: [String] {
        tooFew([
            ("restored", restored, 11), ("reclaimed", reclaimed + boards.reclaimsSeen, 1),
            ("prevented", prevented, 1),
        ])
    }
}
