import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Copies bytes to the broker, which keeps them.
struct CopyCommand: Command {
    static let syntax = CommandSyntax(
        "copy",
        "copies standard input, files or directories to a pasteboard, which keeps the bytes",
        operands: "[FILE ...]",
        options: [
            .init("--echo", short: "-e", "copies the operands as a text, joined by blanks, instead of FILEs"),
            .type, .typedFile, .board, .primary,
            .init("--name", value: "NAME", "a file name for the program that pastes"),
            .title,
            .init("--trim-newline", short: "-n", "omits one newline at the end of each input"),
            .lf, .crlf,
            .init("--not-empty", "changes nothing and ends with 1 if all inputs are empty"),
            .init("--quiet", short: "-q", "suppresses notes"),
            .init("--from", value: "NAME", "copies all items of this pasteboard, with their types, names and flags"),
            .init("--add", "adds the items to those on the pasteboard, which the broker must keep"),
        ] + ContentOptions.options + [.timeout, .label, .json],
        notes: """
            Each FILE becomes one item. Its type follows from its extension. Its name, permissions and modification time
            are part of the item. The FILE '-' is standard input. With -t TYPE=FILE there is one item; an additional -t
            TYPE without FILE is for standard input. With -e the text takes the place of standard input; write '--' before
            a word that begins with '-'.

            \(TypeArgument.contents)

            \(TypeArgument.help)

            A directory becomes one item of the type public.folder: a tar archive of its tree with names, permissions,
            links and modification times. Sockets in it are omitted; --into and drop also omit pipes and devices, and a
            note says how many there are. If a part of it cannot be read, nothing is copied.

            With --from, contents that are promised are made now. It ends with 1 if that pasteboard is empty, with 5 if
            a program that has promised contents has ended, and with 6 if they can be pasted a limited number of times.

            A terminal is read until Ctrl-D. The command returns when the broker has all bytes, and no process remains.
            Until then, and if anything fails, the pasteboard keeps its earlier contents. If copying takes longer than a
            second, the progress is shown on standard error if that is a terminal. A broker is started if none is
            running. --json prints the new change count.

            \(ContentOptions.help)
            """
    )

    private let board: String
    /// The pasteboard that is copied instead of inputs.
    private let from: String?
    private let inputs: InputArguments
    private let givenOptions: ContentOptions
    private let adds: Bool
    private let refusesEmptyInput: Bool

    init(_ arguments: ParsedArguments) throws {
        board = try arguments.board()
        givenOptions = try ContentOptions(arguments)
        adds = arguments.has("--add")
        refusesEmptyInput = arguments.has("--not-empty")
        inputs = try InputArguments(arguments, of: Self.syntax.name)
        from = try arguments.value("--from")
        guard let from else { return }
        try BoardName.check(from)
        let inputOptions = ["--echo", "--type", "--name", "--title", "--trim-newline", "--lf", "--crlf", "--not-empty"]
        let others = inputOptions.filter { arguments.has($0) } + arguments.operands.map(\.description)
        if let other = others.first { throw CommandFailure(usage: "--from cannot be combined with \(other)") }
    }

    func run() throws -> CInt {
        let committed = try copy()
        try StandardStreams.print("", json: committed.json(of: board))
        return 0
    }

    func copy() throws -> Committed {
        _ = System.raiseDescriptorLimit()
        // Opened first, so that an error in the input does not start a broker.
        let items = try from == nil ? inputs.items() : []
        if refusesEmptyInput, try items.flatMap(\.inputs).allSatisfy({ try $0.isEmpty() }) {
            throw CommandFailure(exitCode: 1, "the input is empty, so pasteboard \(board) keeps its contents")
        }
        var options = givenOptions
        options.applyHints(in: items.lazy.flatMap(\.representations).map(\.type.identifier))
        let connection = try Broker.startingOne()
        let new: [WriteItem]
        if let from {
            let copied = try PresentContents.copied(from: from, over: connection)
            options.join(copied.terms)
            new = copied.items
        } else {
            let isConcealed = options.isConcealed
            new = try InputItem.writeItems(items, for: connection, keepsAll: true, isConcealed: isConcealed)
        }
        // Bytes of a file or a pipe cannot be read again.
        let recovery = Recovery(.change, repeats: new.allSatisfy(\.canBeWrittenAgain) ? 1 : 0)
        let committed = try Broker.recovering(recovery, over: connection, startsOne: true) {
            try write(new, options, over: $0)
        }
        committed.note()
        return committed
    }

    private func write(
        _ new: [WriteItem],
        _ options: ContentOptions,
        over connection: BlockingConnection
    ) throws -> Committed {
        if adds { return try PresentContents.add(new, to: board, options, over: connection) }
        return try connection.write(options.write(to: board), items: new).committed
    }
}
