/// What a command takes: the parser and `--help` read the same table.
struct CommandSyntax: Sendable {
    struct Option: Sendable {
        /// The long spelling first.
        let names: [String]
        /// What stands for the value in help; nil for a flag.
        let value: String?
        let meaning: String

        init(_ long: String, short: String? = nil, value: String? = nil, _ meaning: String) {
            self.names = [long] + (short.map { [$0] } ?? [])
            self.value = value
            self.meaning = meaning
        }

        static let help = Option("--help", short: "-h", "shows this text")
        static let board = Option("--board", value: "NAME", "the pasteboard; general unless told")
        static let json = Option("--json", "as one line of JSON")
    }

    let name: String
    /// For the list of commands.
    let summary: String
    /// What follows the options, as help shows it; nil where nothing may.
    let operands: String?
    let options: [Option]
    /// What else help says.
    let notes: String

    init(_ name: String, _ summary: String, operands: String? = nil, options: [Option], notes: String = "") {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.options = options + [.help]
        self.notes = notes
    }

    func option(_ spelling: String) -> Option? {
        self.options.first { $0.names.contains(spelling) }
    }

    var help: String {
        let usage = ["usage: pasteboard \(self.name) [OPTION ...]", self.operands].compactMap { $0 }
        let rows = self.options.map { option in
            (option.names.reversed().joined(separator: ", ") + (option.value.map { " \($0)" } ?? ""), option.meaning)
        }
        let capital = self.summary.prefix(1).uppercased() + self.summary.dropFirst()
        let notes = self.notes.isEmpty ? "" : "\n\(self.notes)\n"
        return "\(usage.joined(separator: " "))\n\n\(capital).\n\n\(HelpTable.rows(rows))\n\(notes)"
    }
}

/// Two columns.
enum HelpTable {
    static func rows(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, meaning in
            "  \(name)\(String(repeating: " ", count: width - name.count))  \(meaning)"
        }.joined(separator: "\n")
    }
}
