import FoundationEssentials
import PasteboardKit
import SampleModels
import TableDragAndDrop
import TerminalTable

/// The next event that the program handles.
private enum Turn {
    /// A key was pressed.
    case key(Key)
    /// No key was pressed for a while. Other processes may have changed something.
    case look

    static let interval = Duration.seconds(1)
    /// The maximum number of waiting keys. More are pressed only by mistake.
    static let most = 64
}

// The effects of keys.
extension TerminalPlaces {
    /// Handles keys until the program has to end.
    ///
    /// A key that ends the program does so immediately, even while an earlier key is being handled. All other keys are
    /// handled one after the other.
    ///
    /// - Returns: the signal that ends the program; nil if a key did.
    func run() async -> Int32? {
        let (turns, continuation) = AsyncStream.makeStream(of: Turn.self, bufferingPolicy: .bufferingOldest(Turn.most))
        let work = Task { for await turn in turns { await handle(turn) } }
        let clock = Task {
            while (try? await Task.sleep(for: Turn.interval)) != nil { continuation.yield(.look) }
        }
        defer {
            work.cancel()
            clock.cancel()
        }
        for await event in terminal.events {
            let isEnd = terminal.handle(event)
            if case .signalled(let signal) = event { return signal }
            if isEnd || event == .key(.character("q")) { return nil }
            if case .key(let key) = event { continuation.yield(.key(key)) }
        }
        return nil
    }

    private func handle(_ turn: Turn) async {
        switch turn {
        case .key(let key): await press(key)
        case .look:
            await finger.ask()
            show()
        }
    }

    private func press(_ key: Key) async {
        focus = nil
        guard !showsKeys else {
            showsKeys = false
            return show()
        }
        switch key {
        case .up, .character("k"): await go(-1)
        case .down, .character("j"): await go(1)
        case .pageUp: await go(-10)
        case .pageDown: await go(10)
        case .home: await go(-Self.far)
        case .end: await go(Self.far)
        case .left, .backTab, .character("h"): if finger.drag != nil { await finger.moveDestination(forward: false) }
        case .right, .tab, .character("l"): if finger.drag != nil { await finger.moveDestination(forward: true) }
        case .character(" "), .enter: if finger.drag == nil { await pickUp() } else { await finger.drop() }
        case .escape: if finger.drag == nil { stoppable?.progress.cancel() } else { await finger.cancel() }
        case .character("e"):
            table.isEditing.toggle()
            say("edit mode is \(table.isEditing ? "on: rows can be moved" : "off")")
            await finger.ask()
        case .character("?"):
            showsKeys = true
            show()
        default: break
        }
    }

    /// A distance greater than the length of any table.
    private static let far = 1_000_000

    /// The load that Escape stops: the one at the cursor, otherwise the first one shown.
    var stoppable: (name: String, progress: LoadProgress)? {
        let rows = shown
        let atCursor = rows.indices.contains(cursor) ? [rows[cursor]] : []
        for case .placeholder(let cell) in atCursor + rows {
            if let progress = loads[cell.reuseIdentifier ?? ""] { return (cell.textLabel?.text ?? "", progress) }
        }
        return nil
    }

    private func go(_ distance: Int) async {
        if finger.drag != nil { return await finger.moveRow(by: distance, ofOwn: places.names.count) }
        cursor = max(0, min(cursor + distance, shown.count - 1))
        show()
    }

    private func pickUp() async {
        // Other rows may have arrived in the meantime, but the cursor has not moved.
        let rows = shown
        guard rows.indices.contains(cursor), case .row(let path) = rows[cursor] else {
            return say("there is nothing to pick up")
        }
        await finger.pickUp(row: path.row, of: table)
    }
}
