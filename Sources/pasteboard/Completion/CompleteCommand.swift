import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Answers a shell that completes a command line. Help does not list this command.
///
/// It prints the kind of the words on one line, and then one line for each candidate: the word and, after a tab, its
/// meaning. For every kind but `words` the shell itself finds the candidates.
struct CompleteCommand: Command {
    static let syntax = CommandSyntax("complete", "completes a command line", operands: "-- WORD ...", options: [])

    /// The time that the broker has for its answers, in milliseconds. With the start of the process, it is 50 ms at
    /// most.
    private static let timeout = 40

    private let words: [String]

    init(_ arguments: ParsedArguments) {
        words = arguments.operands.map(\.description)
    }

    func run(on loop: Loop) async throws -> CInt {
        var requested: Completion.Names?
        _ = Completion(of: words) { names in
            requested = names
            return []
        }
        let found = if let requested { await Self.names(requested, on: loop) } else { [Completion.Candidate]() }
        let completion = Completion(of: words) { _ in found }
        // A shell could not tell such a word from two.
        let lines = completion.candidates.filter { VisibleText.line($0.word) == $0.word }
            .map { $0.meaning.isEmpty ? $0.word : "\($0.word)\t\(VisibleText.line($0.meaning))" }
        try StandardStreams.print(([completion.kind.rawValue] + lines).map { "\($0)\n" }.joined())
        return 0
    }

    /// The names that ssh or the broker knows. Without an answer in time there are only those that always exist.
    private static func names(_ names: Completion.Names, on loop: Loop) async -> [Completion.Candidate] {
        if case .machines = names { return SSHFiles.machines.map { ($0, "") } }
        let deadline = MonotonicClock.deadline(milliseconds: timeout)
        let brokers = try? await Brokers.running(on: loop, until: deadline)
        let connection = try? await brokers?.connection(until: deadline)
        if case .types(let board) = names {
            let listing = try? await connection?.listing(of: board, settles: false, until: deadline)
            return (listing?.items ?? []).flatMap(\.representations)
                .flatMap { Completion.spellings(of: UniformType(of: $0)) }
        }
        let entries = (try? await connection?.status(until: deadline)) ?? []
        switch names {
        case .boards:
            let boards = entries.compactMap(\.board)
            let others = BoardName.standard.filter { name in !boards.contains { $0.name == name } }
            return boards.map { ($0.name, $0.types.map(UniformType.readable).joined(separator: " ")) }
                + others.map { ($0, "") }
        case .destinations: return entries.compactMap(\.destination).map { ($0.name, $0.label ?? "") }
        case .limits: return entries.compactMap(\.limit).map { ("\($0.name)=", $0.note ?? "") }
        case .types, .machines: return []
        }
    }
}
