import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The words that can continue a command line, from the tables of the commands.
struct Completion {
    typealias Candidate = (word: String, meaning: String)

    /// The words to complete with: those of `candidates`, or those that the shell finds.
    enum Kind: String {
        case words
        case files
        /// Files after the first `=`.
        case values
        case directories
        case programs
    }

    /// Names that the broker or ssh knows.
    enum Names: Equatable {
        case boards
        case destinations
        case limits
        case types(board: String)
        /// Machines, from the files of ssh.
        case machines
    }

    /// Marks the position of the cursor for the parser.
    private static let cursor: UInt8 = 1

    private(set) var kind = Kind.words
    private(set) var candidates: [Candidate] = []
    /// The start of the word, which stays: that of `--board=` or `-b`.
    private var head = ""
    /// The part of the word that is completed.
    private var typed: String
    private let names: (Names) -> [Candidate]

    /// - Parameters:
    ///   - words: the words after the program's name, up to the one that is completed, which may be empty.
    ///   - names: asks the broker.
    init(of words: [String], names: @escaping (Names) -> [Candidate]) {
        typed = words.last ?? ""
        self.names = names
        let commands = CommandLineTool.commands.map { $0.syntax }
        if words.count < 2 {
            add(commands.map { ($0.name, $0.summary) })
            add([("help", "explains a command"), ("--help", "lists the commands"), ("--version", "shows the versions")])
        } else if words[0] == "help", words.count == 2 {
            add(commands.map { ($0.name, $0.summary) })
        } else if let syntax = commands.first(where: { $0.name == words[0] }) {
            complete(Array(words[1...]), of: syntax)
        }
        let (head, typed) = (head, typed)
        candidates = candidates.filter { $0.word.hasPrefix(typed) }.map { (head + $0.word, $0.meaning) }
    }

    private mutating func complete(_ words: [String], of syntax: CommandSyntax) {
        // The parser itself decides whether the word is an option, the value of one or an operand.
        let marked = words.dropLast().map { SystemString($0) } + [SystemString(typed.utf8 + [Self.cursor])]
        guard let arguments = try? ParsedArguments(marked, for: syntax) else {
            return add(syntax.options.flatMap { option in option.names.map { ($0, option.meaning) } })
        }
        let place = Place(command: syntax.name, board: (try? arguments.board()) ?? BoardName.general)
        if let (name, value) = arguments.value(endingWith: Self.cursor) {
            let typed = String(value.description.dropLast())
            head = String(self.typed.dropLast(typed.count))
            self.typed = typed
            completeValue(of: syntax.options.filter { $0.names[0] == name }, at: place)
        } else {
            completeOperand(arguments.operands.count - 1, of: syntax, at: place)
        }
    }

    /// - Parameter forms: the forms of one option.
    private mutating func completeValue(of forms: [CommandSyntax.Option], at place: Place) {
        for form in forms {
            guard let value = form.value else { continue }
            if !typed.contains("=") {
                complete(value, of: form.names[0], at: place)
            } else if value.hasSuffix("=FILE") {
                kind = .values
            }
        }
    }

    private mutating func completeOperand(_ index: Int, of syntax: CommandSyntax, at place: Place) {
        // `[FILE ...] --to NAME` has one placeholder, `[-- COMMAND [ARGUMENT ...]]` has two.
        let operands = syntax.operands ?? ""
        let words = operands.filter { !"[]".contains($0) }.split(separator: " ").filter { $0 != "--" && $0 != "..." }
        let placeholders = words.prefix { !$0.hasPrefix("--") }
        guard index < placeholders.count || operands.contains("..."), let last = placeholders.last else { return }
        complete(String(index < placeholders.count ? placeholders[index] : last), of: syntax.name, at: place)
    }

    /// The command whose line is completed, and the pasteboard that the line names.
    private struct Place {
        let command: String
        let board: String
    }

    /// - Parameter owner: the option or the command whose placeholder it is.
    private mutating func complete(_ placeholder: String, of owner: String, at place: Place) {
        switch (placeholder, owner) {
        case ("BOARD", _), ("NAME", "--board"), ("NAME", "board"): add(names(.boards))
        case ("NAME", "--to"): add(names(.destinations))
        case ("NAME=VALUE", "--limit"): add(names(.limits))
        case ("USER@HOST", _), ("[USER@]HOST", _):
            let user = typed.lastIndex(of: "@").map { typed[...$0] } ?? ""
            add(names(.machines).map { (user + $0.word, $0.meaning) })
        case ("TYPE", "--type") where place.command == "paste": add(names(.types(board: place.board)))
        case ("TYPE", _), ("TYPE=FILE", _), ("TYPE=COMMAND", _): add(Self.knownTypes)
        case ("FILE", _), ("PATH", _), ("ARGUMENT", _): kind = .files
        case ("DIR", _): kind = .directories
        case ("COMMAND", "manual"): add(CommandLineTool.commands.map { ($0.syntax.name, $0.syntax.summary) })
        case ("COMMAND", _): kind = .programs
        case ("SHELL", _): add(CompletionScript.all.map { ($0.shell, "") })
        // Words to be written as they are: `release`, or `socket|service`.
        case _ where placeholder == placeholder.lowercased():
            add(placeholder.split(separator: "|").map { (String($0), "") })
        default: break
        }
    }

    private static var knownTypes: [Candidate] {
        [("text", "UTF-8 text")]
            + UniformType.systemIdentifiers.flatMap { spellings(of: UniformType(identifier: $0, supertypes: [])) }
    }

    /// The names by which a user can write a type.
    static func spellings(of type: UniformType) -> [Candidate] {
        let mime = type.preferredMIMEType
        return (type.isDynamic ? [] : [(type.identifier, mime ?? "")]) + (mime.map { [($0, type.identifier)] } ?? [])
    }

    private mutating func add(_ candidates: [Candidate]) {
        for candidate in candidates where !self.candidates.contains(where: { $0.word == candidate.word }) {
            self.candidates.append(candidate)
        }
    }
}
