import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The command of `watch`, which runs once for each change, and finds out whether the command causes the changes.
final class WatchedCommand {
    /// The time after the end of a run in which the command's own last change is reported at the latest, in
    /// milliseconds. The broker delays changes by up to 100.
    private static let delay = 500
    /// The cause of a change. A command may change the pasteboard that it watches: most leave their own result
    /// unchanged.
    private enum Cause {
        case others
        /// A program that has ended since, and whose label does not name the watch. It may have run in the command:
        /// programs of other projects do not set the label.
        case perhapsCommand
        case command
    }

    /// The number of the command's own changes of a pasteboard in a row that shows a loop.
    private static let mostOwnChanges = 8
    /// The same for changes that are, or may be, the command's own.
    private static let mostSuspectChanges = 40
    /// The variable by which this project's programs in the command notice the watch. They name it in their labels.
    private static let variable = "PASTEBOARD_WATCH"
    /// The variable with the MIME type of what the command gets, which programs for `wl-paste` know.
    static let typeVariable = "CLIPBOARD_TYPE"

    /// Whether this program runs in the command of a watch.
    static var isAncestor: Bool { System.environment(variable) != nil }

    /// The end of the labels of programs that run in the command of a watch; nil in other programs.
    static var labelSuffix: String? {
        System.environment(variable).flatMap { CInt($0) }.map { " (watch \($0))" }
    }

    private let path: String
    private let arguments: [SystemString]
    private let room = PendingRoom()
    private let watches: [WatchOperation]
    private let brokers: Brokers
    private var running: (child: ChildProcess, end: DescriptorBox)?
    /// The changes that wait for the end of the command, one for each pasteboard.
    private var pending: [(board: String, change: Change, isPresent: Bool)] = []
    /// The time until which a change may be the command's own (see `MonotonicClock`).
    private var judgesUntil: UInt64 = 0
    /// The pasteboards whose next change describes the present contents.
    private var present: Set<String>
    /// The cause of the last change of each pasteboard, and the numbers of changes in a row.
    private var causes: [String: (last: Cause, own: Int, suspect: Int)] = [:]

    init(_ command: [SystemString], _ watches: [WatchOperation], at brokers: Brokers) throws {
        present = Set(watches.filter(\.reportsPresent).compactMap(\.board))
        path = try ProgramPath.find(command[0])
        arguments = Array(command.dropFirst())
        (self.watches, self.brokers) = (watches, brokers)
    }

    private enum Event: Sendable {
        case changed(String, Change, isPresent: Bool)
        case commandEnded
    }

    /// Returns only by an error, which can be a signal.
    func run() async throws -> Never {
        defer { stop() }
        let signals = try SignalBox(interrupting: brokers.loop)
        let (events, continuation) = AsyncThrowingStream<Event, any Error>.makeStream()
        let all = watches.map { watch in
            Task(executorPreference: brokers.loop) { [brokers, room] in
                do {
                    let _: Never = try await brokers.watching(watch) { event in
                        guard case .changed(let change, let isPresent) = event else { return nil }
                        continuation.yield(.changed(watch.board ?? change.board ?? "", change, isPresent: isPresent))
                        await room.wait()
                        return nil
                    }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
        }
        defer { for watch in all { watch.cancel() } }
        for try await event in events {
            switch event {
            case .changed(let board, let change, let isPresent): add(change, of: board, isPresent)
            case .commandEnded: try finish()
            }
            defer { room.set(pending.count) }
            guard running == nil, !pending.isEmpty else { continue }
            let (board, change, isPresent) = pending.removeFirst()
            let end = try start(for: change, of: board, isPresent)
            Task(executorPreference: brokers.loop) { [loop = brokers.loop] in
                await loop.ready(PollInterest(end.raw, .readable))
                continuation.yield(.commandEnded)
            }
        }
        try signals.check()
        throw Failure(.cancelled, "the watch was cancelled")
    }

    private func add(_ change: Change, of board: String, _ isPresent: Bool) {
        causes[board, default: (.others, 0, 0)].last = cause(of: change)
        if let index = pending.firstIndex(where: { $0.board == board }) {
            pending[index].change = change.replacing(pending[index].change)
            pending[index].isPresent = isPresent
        } else {
            pending.append((board, change, isPresent))
        }
    }

    /// - Returns: the descriptor that is ready when the command has ended.
    private func start(for change: Change, of board: String, _ isPresent: Bool) throws -> DescriptorBox {
        var (last, own, suspect) = causes[board] ?? (.others, 0, 0)
        own = last == .command ? own + 1 : 0
        suspect = last == .others ? 0 : suspect + 1
        causes[board] = (last, own, suspect)
        guard own < Self.mostOwnChanges, suspect < Self.mostSuspectChanges else {
            throw Failure(
                .refused,
                "the command seems to change pasteboard \(board) in each run, so it is not run again; let it copy only if "
                    + "its result differs from the contents, or watch another pasteboard"
            )
        }
        var configuration = ChildProcess.Configuration(
            path: path,
            arguments: arguments,
            environment: environment(of: change, on: board, isPresent)
        )
        configuration.inNewGroup = true
        let started = try ProgramPath.start(configuration)
        running = started
        return started.end
    }

    private func finish() throws {
        guard let (child, _) = running else { return }
        running = nil
        _ = try child.wait()
        judgesUntil = MonotonicClock.deadline(milliseconds: Self.delay)
    }

    private func cause(of change: Change) -> Cause {
        guard running != nil || MonotonicClock.now() < judgesUntil,
            let process = change.author.process.map({ CInt(clamping: $0) })
        else { return .others }
        let group = System.group(ofProcess: process)
        if let running, running.child.id == group { return .command }
        // Any program can call itself so. One that still runs is asked for its environment, too.
        let isNamed = change.author.label?.hasSuffix(" (watch \(System.processID))") == true
        if isNamed, group == nil || Self.isInCommand(process) { return .command }
        return group == nil ? .perhapsCommand : .others
    }

    /// Whether a process has the variable of this watch in its environment, or does not show its environment.
    private static func isInCommand(_ process: CInt) -> Bool {
        guard let environment = try? System.contents(of: "/proc/\(process)/environ") else { return true }
        let entry = "\(variable)=\(System.processID)"
        return environment.split(separator: 0).contains { $0.elementsEqual(entry.utf8) }
    }

    private func stop() {
        if let child = running?.child { try? child.killGroup(SIGTERM) }
    }

    private func environment(of change: Change, on board: String, _ isPresent: Bool) -> [String] {
        let isFirst = present.remove(board) != nil || isPresent
        let state = change.state(isFirst: isFirst)
        let values = [
            "PASTEBOARD_BOARD": board,
            "PASTEBOARD_CHANGE_COUNT": String(change.changeCount ?? 0),
            "PASTEBOARD_TYPES": change.types.joined(separator: "\n"),
            "PASTEBOARD_STATE": state,
            // A history that was written for wl-paste knows only these words, and leaves out what is sensitive.
            Self.typeVariable: change.preferredName ?? "",
            "CLIPBOARD_STATE": state == "transient" ? "sensitive" : state,
            "PASTEBOARD_FLAGS": change.terms?.flags.joined(separator: " ") ?? "",
            "PASTEBOARD_OWNER": VisibleText.line(TextTable.program(change.author.label, change.author.process)),
            "PASTEBOARD_MISSED": isFirst ? "" : change.missed.map { String($0) } ?? "",
            Self.variable: String(System.processID),
        ]
        let others = System.environment().filter { entry in !values.keys.contains { entry.hasPrefix("\($0)=") } }
        return others + values.map { "\($0)=\($1)" }
    }
}

/// The number of changes that are held while the command runs. Beyond it none are taken, and the broker merges those of
/// each pasteboard.
private final class PendingRoom: Sendable {
    private static let most = 256
    private let state = Lock((count: 0, waiters: [UnsafeContinuation<Void, Never>]()))

    func set(_ count: Int) {
        let waiters = state.withLock { state in
            state.count = count
            return count < Self.most ? exchange(&state.waiters, with: []) : []
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withUnsafeContinuation { waiter in
            let waits = state.withLock { state in
                if state.count >= Self.most { state.waiters.append(waiter) }
                return state.count >= Self.most
            }
            if !waits { waiter.resume() }
        }
    }
}

extension Change {
    /// The name of the type that `wl-paste` chooses: text if there is any, otherwise the first.
    fileprivate var preferredName: String? {
        let types = types.map { UniformType(importedAs: $0) }
        return types.contains(where: \.isText) ? UniformType.utf8PlainText.names.first : types.first?.names.first
    }
}

extension Change {
    /// This change, merged with an older one that was not delivered and counts as missed.
    func replacing(_ older: Change?) -> Change {
        guard let older, let missed else { return self }
        var change = self
        let skipped: UInt64 = older.changeCount == changeCount ? 0 : 1
        change.missed = missed.addingClamped(skipped).addingClamped(older.missed ?? 0)
        return change
    }
}
