import PasteboardClient
import PasteboardTransport

/// Prints the script by which a shell completes command lines of this program.
struct CompletionsCommand: Command {
    static let syntax = CommandSyntax(
        "completions",
        "prints the completions for a shell",
        operands: "SHELL",
        options: [],
        broker: .none,
        examples: """
            source <(pasteboard completions bash)         # in ~/.bashrc
            pasteboard completions zsh > _pasteboard      # in a directory of fpath
            pasteboard completions fish > ~/.config/fish/completions/pasteboard.fish
            """,
        files: [("PREFIX/share", "where 'install' writes the scripts")],
        notes: """
            SHELL is \(CompletionScript.shells). 'pasteboard install' writes the scripts where these shells look for
            them.

            Commands, options, pasteboards, the types of their contents, destinations and limits are completed from this
            program and the running broker. No broker is started, and its answer is awaited for at most 50 ms.
            """
    )

    private let script: String

    init(_ arguments: ParsedArguments) throws {
        let operands = arguments.operands.map(\.description)
        guard operands.count == 1, let script = CompletionScript.all.first(where: { $0.shell == operands[0] }) else {
            throw CommandFailure(usage: "write pasteboard completions SHELL; SHELL is \(CompletionScript.shells)")
        }
        self.script = script.text
    }

    func run(on loop: Loop) async throws -> CInt {
        try StandardStreams.print(script)
        return 0
    }
}
