import PasteboardWire

/// A manual page in the language mdoc, made from the table from which help is made.
struct ManualPage {
    /// The name of the page: `pasteboard-copy`.
    let name: String
    let text: String

    /// The pages of the program and of its commands.
    static var all: [ManualPage] { [program] + CommandLineTool.commands.map { ManualPage(of: $0.syntax) } }

    /// The page of a command.
    init(of syntax: CommandSyntax) {
        let options = syntax.options.map { option in
            let names = option.names.reversed().map { "Fl \(Self.escaped($0.dropFirst()))" }.joined(separator: " , ")
            return (title: names + (option.value.map { " Ar \(Self.escaped($0))" } ?? ""), meaning: option.meaning)
        }
        let variables = ".Ev PASTEBOARD_SOCKET , PASTEBOARD_AUTOSTART\nand others: see\n.Xr pasteboard 1 .\n"
        self.init(
            "pasteboard-\(syntax.name)",
            meaning: syntax.summary,
            synopsis: "pasteboard \(syntax.name)\n.Op Ar option ...\n\(Self.sentences(syntax.operands ?? ""))",
            sections: [
                ("DESCRIPTION", "The options are:\n" + Self.list(options) + Self.paragraphs(syntax.notes())),
                ("ENVIRONMENT", syntax.broker == .none ? "" : variables),
                ("FILES", Self.files(syntax.files)),
                ("EXIT STATUS", Self.sentences(syntax.exitStatus)),
                ("EXAMPLES", Self.literal(syntax.examples)),
                ("SEE ALSO", ".Xr pasteboard 1\n"),
            ]
        )
    }

    /// The page of the program.
    static var program: ManualPage {
        let groups = CommandLineTool.groups.map { group in
            let commands = group.commands.map { ("Xr pasteboard-\($0.syntax.name) 1", $0.syntax.summary) }
            return ".Ss \(group.title)\n\(list(commands, width: 25))"
        }
        return ManualPage(
            "pasteboard",
            meaning: "copy, paste, and drag and drop between processes",
            synopsis: "pasteboard\n.Ar command\n.Op Ar option ...\n",
            sections: [
                ("DESCRIPTION", sentences(CommandLineTool.introduction) + groups.joined()),
                ("ENVIRONMENT", list(CommandLineTool.environment.map { ("Ev \($0.name)", $0.meaning) })),
                ("FILES", files(CommandSyntax.brokerFiles)),
                ("EXIT STATUS", list(CommandLineTool.exitCodes.map { ($0.name, $0.meaning) }, width: 3)),
                ("EXAMPLES", literal(CommandLineTool.examples)),
            ]
        )
    }

    private init(_ name: String, meaning: String, synopsis: String, sections: [(title: String, text: String)]) {
        self.name = name
        text = """
            .Dd \(ProgramVersion.date)
            .Dt \(name.uppercased()) 1
            .Os
            .Sh NAME
            .Nm \(name)
            .Nd \(Self.escaped(meaning))
            .Sh SYNOPSIS
            .Nm \(synopsis)\(sections.filter { !$0.text.isEmpty }.map { ".Sh \($0.title)\n\($0.text)" }.joined())
            """
    }

    private static func list(_ rows: [(title: String, meaning: String)], width: Int = 20) -> String {
        ".Bl -tag -width \(width)n -compact\n" + rows.map { ".It \($0.title)\n\(sentences($0.meaning))" }.joined()
            + ".El\n"
    }

    private static func files(_ files: [CommandSyntax.File]) -> String {
        list(files.map { ("Pa \(escaped($0.path))", $0.meaning) }, width: 34)
    }

    /// The paragraphs of a text for help. Lines that begin with a space are an example or a table.
    private static func paragraphs(_ text: String) -> String {
        text.split(separator: "\n\n").map { paragraph in
            guard paragraph.first == " " else { return ".Pp\n" + sentences(paragraph) }
            return literal(paragraph.split(separator: "\n").map { $0.dropFirst(2) }.joined(separator: "\n"))
        }.joined()
    }

    /// Lines that stay as they are.
    private static func literal(_ text: some StringProtocol) -> String {
        let lines = text.split(separator: "\n").map { "\(escaped($0))\n" }
        return ".Bd -literal -compact\n\(lines.joined()).Ed\n"
    }

    /// A text with a line for each sentence, as the language requires.
    private static func sentences(_ text: some StringProtocol) -> String {
        var sentences: [[Substring]] = [[]]
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            sentences[sentences.endIndex - 1].append(Substring(escaped(word)))
            if word.hasSuffix(".") || word.hasSuffix(".)") { sentences.append([]) }
        }
        return sentences.flatMap { HelpText.lines(of: $0, first: "", next: "") }.map { "\($0)\n" }.joined()
    }

    /// Text of which no character begins a request or an escape.
    private static func escaped(_ text: some StringProtocol) -> String {
        let escaped = text.map { $0 == "\\" ? "\\e" : $0 == "-" ? "\\-" : String($0) }.joined()
        return escaped.first == "." || escaped.first == "'" ? "\\&\(escaped)" : escaped
    }
}
