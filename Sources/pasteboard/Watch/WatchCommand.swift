import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Reports the changes of a pasteboard, or runs a command for each.
struct WatchCommand: Command {
    static let syntax = CommandSyntax(
        "watch",
        "reports the changes of a pasteboard, or runs a command for each",
        operands: "[-- COMMAND [ARGUMENT ...]]",
        options: [
            .board, .primary,
            .init("--since", value: "N", "reports a change at once unless the change count of the pasteboard is N"),
            .json,
        ],
        notes: """
            Prints one line for each change: the change count, the pasteboard, the state, the number of items, the program
            that wrote them, and the types. The state is data, sensitive, clear (the pasteboard was emptied) or nil (it was
            empty when the watch began). Changes in quick succession are reported as one, at most every 100
            ms, and the last one is always reported. Nothing is loaded: promised contents are not made.

            With COMMAND nothing is printed. The command runs once for each change, with /dev/null as its standard input
            and these variables in its environment:

            PASTEBOARD_BOARD, PASTEBOARD_CHANGE_COUNT, PASTEBOARD_TYPES (one type in each line), PASTEBOARD_STATE, and
            CLIPBOARD_STATE with the same value; and PASTEBOARD_WATCH with the process number of the watch, by which a
            command that changes the pasteboard is recognised.

            While the command runs, further changes wait; then it runs again for the newest one. A command that changes the
            pasteboard that it is run for would be run again and again: the watch then ends it, prints a message, and ends
            with 6. --since 0 reports the present contents first.

            Runs until a signal ends it, or the broker is stopped; then it ends with 3. If the broker ends in any other way,
            the watch connects again, and reports the changes after the last one. A broker is started if none is running.
            """
    )

    private let board: String
    private let since: UInt64?
    private let isJSON: Bool
    private let command: [SystemString]

    init(_ arguments: ParsedArguments) throws {
        board = try arguments.board()
        isJSON = arguments.has("--json")
        command = arguments.operands
        since = try arguments.changeCount("--since")
        guard !isJSON || command.isEmpty else {
            throw CommandFailure(usage: "--json has no effect with a command; omit it")
        }
    }

    func run() throws -> CInt {
        let connection = try Broker.startingOne()
        let watch = try BoardWatch(board, since: (since, nil), over: connection) { try Broker.startingOne() }
        guard command.isEmpty else {
            let signals = try SignalBox([SIGINT, SIGTERM, SIGHUP])
            try WatchedCommand(command, on: board, watch: watch, reportsPresent: since == 0, signals: signals).run()
        }
        var isFirst = since == 0
        while true {
            if let change = watch.take() {
                let row = change.row(of: board, isFirst: isFirst)
                let json = change.json(of: board, isFirst: isFirst)
                try StandardStreams.print(isJSON ? json.line : TextTable.text([row]))
                isFirst = false
                continue
            }
            // The end of the reader is noticed without writing to it.
            let ready = try watch.turn(extra: [PollInterest(1, [])])
            if !ready[0].isEmpty { throw CommandFailure.signaled(SIGPIPE) }
        }
    }
}
