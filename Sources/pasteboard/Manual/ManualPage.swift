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
        self.init(
            "pasteboard-\(syntax.name)",
            meaning: syntax.summary,
            synopsis: "pasteboard \(syntax.name)\n.Op Ar option ...\n\(Self.sentences(syntax.operands ?? ""))",
            sections: [
                ("DESCRIPTION", Self.sentences(syntax.sentence) + Self.list(options) + Self.paragraphs(syntax.notes())),
                ("SEE ALSO", ".Xr pasteboard 1\n"),
            ]
        )
    }

    /// The page of the program.
    static var program: ManualPage {
        let commands = CommandLineTool.commands.map { ("Xr pasteboard-\($0.syntax.name) 1", $0.syntax.summary) }
        return ManualPage(
            "pasteboard",
            meaning: "copy, paste, and drag and drop between processes",
            synopsis: "pasteboard\n.Ar command\n.Op Ar option ...\n",
            sections: [
                ("DESCRIPTION", "The commands are:\n" + list(commands) + paragraphs(CommandLineTool.introduction)),
                ("ENVIRONMENT", list(CommandLineTool.environment.map { ("Ev \($0.name)", $0.meaning) })),
                ("EXIT STATUS", list(CommandLineTool.exitCodes.map { ($0.name, $0.meaning) })),
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
            .Nm \(synopsis)\(sections.map { ".Sh \($0.title)\n\($0.text)" }.joined())
            """
    }

    private static func list(_ rows: [(title: String, meaning: String)]) -> String {
        ".Bl -tag -width Ds\n" + rows.map { ".It \($0.title)\n\(sentences($0.meaning))" }.joined() + ".El\n"
    }

    /// The paragraphs of a text for help. Lines that begin with a space are an example or a table.
    private static func paragraphs(_ text: String) -> String {
        text.split(separator: "\n\n").map { paragraph in
            guard paragraph.first == " " else { return ".Pp\n" + sentences(paragraph) }
            let lines = paragraph.split(separator: "\n").map { "\(escaped($0.dropFirst(2)))\n" }
            return ".Bd -literal -offset indent\n\(lines.joined()).Ed\n"
        }.joined()
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
