/// The options and operands of a command: the parser and `--help` read the same table.
struct CommandSyntax: Sendable {
    struct Option: Sendable {
        /// The long spelling first.
        let names: [String]
        /// The placeholder of the value in help; nil for a flag.
        let value: String?
        let meaning: String

        init(_ long: String, short: String? = nil, value: String? = nil, _ meaning: String) {
            names = [long] + (short.map { [$0] } ?? [])
            self.value = value
            self.meaning = meaning
        }

        static let help = Option("--help", short: "-h", "shows this help")
        static let board = Option(
            "--board",
            short: "-b",
            value: "NAME",
            "the pasteboard; by default the one called general"
        )
        static let primary = Option("--primary", short: "-p", "the same as --board primary")
        static let quiet = Option(
            "--quiet",
            short: "-q",
            "suppresses notes, and the message if nothing is found; the exit code stays"
        )
        static let json = Option("--json", "prints one line of JSON")
    }

    let name: String
    /// One line for the list of commands.
    let summary: String
    /// The operands as help shows them; nil for a command that takes none.
    let operands: String?
    let options: [Option]
    /// Further paragraphs of help: lines are joined and wrapped, empty lines separate paragraphs.
    /// Only help evaluates them.
    let notes: @Sendable () -> String

    init(
        _ name: String,
        _ summary: String,
        operands: String? = nil,
        options: [Option],
        notes: @autoclosure @escaping @Sendable () -> String = ""
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.options = options + [.help]
        self.notes = notes
    }

    func option(_ spelling: String) -> Option? {
        options.first { $0.names.contains(spelling) }
    }

    /// The summary as a sentence.
    var sentence: String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }

    var help: String {
        let usage = ["usage: pasteboard \(name) [OPTION ...]", operands].compactMap { $0 }
        let rows = options.map { option in
            (
                name: option.names.reversed().joined(separator: ", ") + (option.value.map { " \($0)" } ?? ""),
                meaning: option.meaning
            )
        }
        let notes = self.notes()
        let further = notes.isEmpty ? "" : "\n\(HelpText.paragraphs(notes))\n"
        return """
            \(usage.joined(separator: " "))

            \(HelpText.paragraphs(sentence))

            \(HelpText.rows(rows))
            \(further)
            """
    }
}
