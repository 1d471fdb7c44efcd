import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Gives bytes to the broker, which keeps them.
struct CopyCommand: Command {
    static let syntax = CommandSyntax(
        "copy",
        "copies standard input, files or directories to a pasteboard, which keeps the bytes",
        operands: "[FILE ...]",
        options: [
            .init("--type", short: "-t", value: "TYPE", "the type of standard input, or of all FILEs"),
            .init(
                "--type",
                short: "-t",
                value: "TYPE=FILE",
                "one more representation of a single item; may be repeated"
            ),
            .board, .primary,
            .init("--name", value: "NAME", "a file name for the program that pastes"),
            .init("--trim-newline", short: "-n", "omits one newline at the end of each input"),
        ],
        notes: """
            Each FILE becomes one item. Its type follows from its extension, and its name, permissions and
            time of change travel with it. A FILE of - is standard input. With -t TYPE=FILE there is one item; a plain -t TYPE beside them takes standard input.

            \(TypeArgument.contents)

            \(TypeArgument.help)

            A directory becomes one item, a public.folder: its tree with names, modes, links and modification times, archived
            by tar. Sockets in it are left out; --into and drop leave out pipes as well. If a part of it cannot be read,
            nothing is copied.

            A terminal is read until Ctrl-D. The command returns when the broker has all bytes; no other process stays.
            Until then, and if anything fails, the pasteboard keeps its earlier contents. If that takes longer than a
            second, a terminal shows the progress on standard error. A broker is started if none is running.
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
