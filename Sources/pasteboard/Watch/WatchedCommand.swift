import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The command of `watch`, which runs once for each change, and finds out whether the command causes the changes.
final class WatchedCommand {
    /// The time after the end of a run in which the command's own last change is reported at the latest, in
    /// milliseconds. The broker delays changes by up to 100.
    private static let delay = 500
    /// The number of runs in a row for one pasteboard, each caused by a program that has ended since, after which the
    /// command counts as their cause. A program of another project does not name the watch in its label.
    private static let mostSuspectRuns = 40
    /// The number of changes that are held while the command runs. The broker merges those of each pasteboard.
    private static let mostPending = 256
    /// The variable by which this project's programs in the command notice the watch. They name it in their labels.
    private static let variable = "PASTEBOARD_WATCH"

    /// Whether this program runs in the command of a watch.
    static var isAncestor: Bool { System.environment(variable) != nil }

    /// The end of the labels of programs that run in the command of a watch; nil in other programs.
    static var labelSuffix: String? {
        System.environment(variable).flatMap { CInt($0) }.map { " (watch \($0))" }
    }

    private let path: String
    private let arguments: [SystemString]
    private let watch: BoardWatch
    private let signals: SignalBox
    private var running: (child: ChildProcess, end: DescriptorBox)?
    private var pending: [(board: String, change: Change)] = []
    /// The time until which a change may be the command's own (see `MonotonicClock`).
    private var judgesUntil: UInt64 = 0
    /// The pasteboards whose next change describes the present contents.
    private var present: Set<String>
    /// The pasteboards whose last change may be the command's own, although nothing shows it, and the number of their
    /// runs in a row.
    private var suspects: Set<String> = []
    private var suspectRuns: [String: Int] = [:]

    /// - Parameter present: the pasteboards whose first change describes the present contents.
    init(
        _ command: [SystemString],
        watch: BoardWatch,
        reportingPresent present: Set<String>,
        signals: SignalBox
    ) throws {
        self.present = present
        path = try ProgramPath.find(command[0])
        arguments = Array(command.dropFirst())
        self.watch = watch
        self.signals = signals
    }

    /// Returns only by an error, which can be a signal.
    func run() throws -> Never {
        defer { stop() }
        while true {
            while pending.count < Self.mostPending, let (board, change) = watch.take() {
                try check(change, of: board)
                if let index = pending.firstIndex(where: { $0.board == board }) {
                    pending[index].change = change.replacing(pending[index].change)
                } else {
                    pending.append((board, change))
                }
            }
            if running == nil, !pending.isEmpty {
                let (board, change) = pending.removeFirst()
                try start(for: change, of: board)
            }
            let ends = running.map { [PollInterest($0.end.raw, .readable)] } ?? []
            let ready = try watch.turn(extra: ends + [signals.interest])
            try signals.check()
            if !ends.isEmpty, !ready[0].isEmpty { try finish() }
        }
    }

    private func start(for change: Change, of board: String) throws {
        let runs = suspects.contains(board) ? suspectRuns[board, default: 0] + 1 : 0
        suspectRuns[board] = runs
        guard runs < Self.mostSuspectRuns else { throw Self.loop(through: board) }
        var configuration = ChildProcess.Configuration(
            path: path,
            arguments: arguments,
            environment: environment(of: change, on: board)
        )
        configuration.inNewGroup = true
        running = try ProgramPath.start(configuration)
    }

    private func finish() throws {
        guard let (child, _) = running else { return }
        running = nil
        _ = try child.wait()
        judgesUntil = MonotonicClock.deadline(milliseconds: Self.delay)
    }

    /// Throws if the command itself has changed the board.
    private func check(_ change: Change, of board: String) throws {
        suspects.remove(board)
        guard running != nil || MonotonicClock.now() < judgesUntil else { return }
        guard let process = change.author.process.map({ CInt(clamping: $0) }) else { return }
        let group = System.group(ofProcess: process)
        if let running, running.child.id == group { throw Self.loop(through: board) }
        if group == nil { suspects.insert(board) }
        guard change.author.label?.hasSuffix(" (watch \(System.processID))") == true else { return }
        // Any program can call itself so. One that still runs is asked for its environment, too.
        if group == nil || Self.isInCommand(process) { throw Self.loop(through: board) }
    }

    /// Whether a process has the variable of this watch in its environment, or does not show its environment.
    private static func isInCommand(_ process: CInt) -> Bool {
        guard let environment = try? System.contents(of: "/proc/\(process)/environ") else { return true }
        let entry = "\(variable)=\(System.processID)"
        return environment.split(separator: 0).contains { $0.elementsEqual(entry.utf8) }
    }

    private static func loop(through board: String) -> Failure {
        Failure(
            .refused,
            "the command changes pasteboard \(board), and is run for each change; watch another pasteboard"
        )
    }

    private func stop() {
        if let child = running?.child { try? child.killGroup(SIGTERM) }
    }

    private func environment(of change: Change, on board: String) -> [String] {
        let isFirst = present.remove(board) != nil || watch.isPresent(change)
        let state = change.state(isFirst: isFirst)
        let values = [
            "PASTEBOARD_BOARD": board,
            "PASTEBOARD_CHANGE_COUNT": String(change.changeCount ?? 0),
            "PASTEBOARD_TYPES": change.types.joined(separator: "\n"),
            "PASTEBOARD_STATE": state,
            // A history that was written for wl-paste knows only these words, and leaves out what is sensitive.
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
