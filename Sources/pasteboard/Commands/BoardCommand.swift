import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Removes a pasteboard.
struct BoardCommand: Command {
    static let syntax = CommandSyntax(
        "board",
        "removes a pasteboard with its contents: board release NAME",
        operands: "release NAME",
        options: [.timeout, .label, .json],
        examples: "pasteboard board release notes",
        notes: """
            Afterwards the pasteboard is not listed, and its name is free. The pasteboards general, find, primary and
            drag always exist; 'pasteboard clear' empties them. Releasing a pasteboard that does not exist is not an
            error. No broker is started.
            """
    )

    private let board: String

    init(_ arguments: ParsedArguments) throws {
        guard arguments.operands.count == 2, arguments.operands[0] == "release" else {
            throw CommandFailure(usage: "write pasteboard board release NAME")
        }
        guard let name = arguments.operands[1].text else {
            throw CommandFailure(usage: "invalid name '\(arguments.operands[1])' of a pasteboard: it is not UTF-8")
        }
        try BoardName.check(name)
        board = name
    }

    func run(on loop: Loop) async throws -> CInt {
        var request = Clear(board)
        request.removesBoard = true
        request.requires = [Feature.boards.rawValue]
        let clear = request
        if let brokers = try await Brokers.running(on: loop) {
            _ = try await brokers.recovering(Recovery(.change)) { try await $0.clear(clear) }
        }
        try StandardStreams.print("", json: ["released": .string(board)])
        return 0
    }
}
