import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Gives bytes to the broker, which keeps them.
struct CopyCommand: Command {
    static let syntax = CommandSyntax(
        "copy",
        "gives standard input or files to a pasteboard, which keeps the bytes",
        operands: "[FILE ...]",
        options: [
            .init("--type", short: "-t", value: "TYPE", "the type of standard input, or of all FILEs"),
            .init(
                "--type",
                short: "-t",
                value: "TYPE=FILE",
                "one more representation of the same item; may be repeated"
            ),
            .board,
            .init("--name", value: "NAME", "suggests a file name to whoever pastes"),
            .init("--trim-newline", short: "-n", "leaves out one newline at the end of each input"),
        ],
        notes: """
            Each FILE is one item: its contents, its type by its extension, its name as suggested name. Standard input, and
            a file without extension, is public.utf8-plain-text if it starts as UTF-8 without NUL, else public.data. With
            -t TYPE=FILE there is one item; a plain -t TYPE beside them takes standard input.

            The command returns when the broker has all bytes; no other process stays. Until then, and if anything fails,
            the pasteboard holds what it held before. A broker is started if none runs.
            """
    )

    private let board: String
    private let inputs: InputArguments

    init(_ arguments: ParsedArguments) throws {
        self.board = try arguments.board()
        self.inputs = try InputArguments(arguments, of: Self.syntax.name)
    }

    func run() throws -> CInt {
        _ = System.raiseDescriptorLimit()
        // What is wrong with the input should not start a broker.
        let items = try self.inputs.items()
        let connection = try Broker.startingOne()
        var write = Write()
        write.board = self.board
        _ = try connection.write(write, items: try InputItem.kept(items, by: connection))
        return 0
    }
}
