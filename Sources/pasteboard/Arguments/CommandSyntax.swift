/// The options and operands of a command: the parser, `--help` and the manual page read the same table.
struct CommandSyntax: Sendable {
    /// How a command uses the broker. The files and variables in its help follow from that.
    enum BrokerUse: Sendable {
        case none
        case running
        case started
    }

    typealias File = (path: String, meaning: String)

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
        static let board = Option("--board", short: "-b", value: "NAME", "the pasteboard; by default general")
        static let primary = Option("--primary", short: "-p", "the same as --board primary")
        static let quiet = Option("--quiet", short: "-q", "suppresses notes, and the message if nothing is there")
        static let json = Option("--json", "prints one line of JSON")
    }

    let name: String
    /// One line for the list of commands.
    let summary: String
    /// The operands as help shows them; nil for a command that takes none.
    let operands: String?
    let options: [Option]
    let broker: BrokerUse
    /// Command lines for a shell, which a test runs.
    let examples: String
    private let exit: String
    private let ownFiles: [File]
    /// Further paragraphs of help: lines are joined and wrapped, empty lines separate paragraphs.
    /// Only help evaluates them.
    let notes: @Sendable () -> String

    /// - Parameter exit: the exit codes that have a meaning of their own.
    init(
        _ name: String,
        _ summary: String,
        operands: String? = nil,
        options: [Option],
        broker: BrokerUse = .running,
        examples: String = "",
        exit: String = "0 if done",
        files: [File] = [],
        notes: @autoclosure @escaping @Sendable () -> String = ""
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.options = options + [.help]
        self.broker = broker
        self.examples = examples
        self.exit = exit
        ownFiles = files
        self.notes = notes
    }

    func option(_ spelling: String) -> Option? {
        options.first { $0.names.contains(spelling) }
    }

    /// The summary as a sentence.
    var sentence: String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }

    var exitStatus: String {
        let isNamed = broker == .none || exit.contains("3")
        return "\(exit); \(isNamed ? "" : "3 if a broker cannot be reached; ")pasteboard(1) lists the other codes."
    }

    var files: [File] {
        switch broker {
        case .none: ownFiles
        case .running: Self.brokerFiles.prefix(1) + ownFiles
        case .started: Self.brokerFiles + ownFiles
        }
    }

    static let brokerFiles: [File] = [
        ("$XDG_RUNTIME_DIR/pasteboard/socket", "the broker's socket"),
        ("~/.config/pasteboard/config", "limits of the broker"), ("~/.local/state/pasteboard/log", "its log"),
    ]

    /// The most lines of a help. Of longer notes it has the first paragraph, and the manual page has all.
    private static let longestHelp = 50

    var help: String {
        let notes = self.notes()
        let whole = help(notes, exitStatus)
        guard whole.count(where: \.isNewline) > Self.longestHelp else { return whole }
        let first = notes.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
        return help(first.joined(separator: "\n"), "\(exitStatus) More: pasteboard manual \(name) | man -l -")
    }

    private func help(_ notes: String, _ exitStatus: String) -> String {
        let rows = options.map { option in
            (
                name: option.names.reversed().joined(separator: ", ") + (option.value.map { " \($0)" } ?? ""),
                meaning: option.meaning
            )
        }
        return """
            usage: pasteboard \(name) [OPTION ...]\(operands.map { " \($0)" } ?? "")

            \(HelpText.paragraphs(sentence))

            \(HelpText.rows(rows))
            \(notes.isEmpty ? "" : "\n\(HelpText.paragraphs(notes))\n")
            Examples:
            \(examples.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))

            \(HelpText.paragraphs("Exit status: \(exitStatus)"))

            Files:
            \(HelpText.rows(files.map { (name: $0.path, meaning: $0.meaning) }, widest: 40))

            """
    }
}
