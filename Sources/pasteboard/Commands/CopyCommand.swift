import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Copies bytes to the broker, which keeps them.
struct CopyCommand: Command {
    static let syntax = CommandSyntax(
        "copy",
        "copies standard input or files to a pasteboard",
        operands: "[FILE ...]",
        options: [
            .init("--echo", short: "-e", "copies the operands as a text, joined by blanks"),
            .type, .typedFile, .board, .primary,
            .init("--name", value: "NAME", "a file name for the program that pastes"),
            .title,
            .init("--trim-newline", short: "-n", "omits one newline at the end of each input"),
            .lf, .crlf,
            .init("--not-empty", "ends with 1 if all inputs are empty"),
            .init("--quiet", short: "-q", "suppresses notes"),
            .init("--from", value: "NAME", "copies all items of another pasteboard"),
            .init("--add", "adds to the contents, which the broker must keep"),
        ] + ContentOptions.options + [.timeout, .label, .json],
        broker: .started,
        examples: """
            echo hi | pasteboard copy
            pasteboard copy report.pdf photo.png
            pasteboard copy -t text=notes.txt -t html=notes.html    # two types
            pass show mail | pasteboard copy --sensitive --once --ttl 45s
            """,
        exit: "0 when the broker has all bytes; 1 if all inputs of --not-empty or the pasteboard of --from are empty",
        notes: """
            Each FILE becomes one item, with its name, permissions and modification time; '-' is standard input. With -t
            TYPE=FILE there is one item; an additional -t TYPE is for standard input, or for the text of -e. A directory
            becomes a tar archive of its tree, without sockets. --from makes promised contents now.

            \(TypeArgument.contents)

            No process remains. Until the broker has all bytes, and if anything fails, the pasteboard keeps its earlier
            contents.

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

    func run(on loop: Loop) async throws -> CInt {
        let committed = try await copy(on: loop)
        try StandardStreams.print("", json: committed.json(of: board))
        return 0
    }

    func copy(on loop: Loop) async throws -> Committed {
        _ = System.raiseDescriptorLimit()
        // Opened first, so that an error in the input does not start a broker.
        let items = try from == nil ? inputs.items() : []
        if refusesEmptyInput, try items.flatMap(\.inputs).allSatisfy({ try $0.isEmpty() }) {
            throw CommandFailure(exitCode: 1, "the input is empty, so pasteboard \(board) keeps its contents")
        }
        var options = givenOptions
        options.applyHints(in: items.lazy.flatMap(\.representations).map(\.type.identifier))
        let brokers = try Brokers.startingOne(on: loop)
        let new: [WriteItem]
        if let from {
            let copied = try await brokers.recovering { try await PresentContents.copied(from: from, over: $0) }
            options.join(copied.terms)
            new = copied.items
        } else {
            let isConcealed = options.isConcealed
            let welcome = try await brokers.recovering { $0.welcome }
            new = try InputItem.writeItems(items, for: welcome, keepsAll: true, isConcealed: isConcealed)
        }
        // Bytes of a file or a pipe cannot be read again.
        let recovery = Recovery(.change, repeats: new.allSatisfy(\.canBeWrittenAgain) ? 1 : 0)
        let committed = try await brokers.recovering(recovery) { [options] in
            if adds { return try await PresentContents.add(new, to: board, options, over: $0) }
            return try await $0.keep(new, as: options.write(to: board))
        }
        committed.note()
        return committed
    }
}
