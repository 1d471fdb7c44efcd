/// An option of one or more of the programs, and its effect on a request.
struct ShimOption: Sendable {
    typealias Effect = @Sendable (_ request: inout ShimRequest, _ value: String) throws -> Void

    let programs: [ShimProgram]
    let names: [String]
    let takesValue: Bool
    let effect: Effect

    private init(_ programs: ShimProgram..., names: String, value: Bool = false, effect: @escaping Effect) {
        self.programs = programs
        self.names = names.split(separator: " ").map(String.init)
        takesValue = value
        self.effect = effect
    }

    /// All options of all programs. Those without an effect concern an X server, a seat, or messages.
    static let table: [ShimOption] = [
        .init(.pbcopy, .pbpaste, names: "-pboard", value: true) { $0.board = $1 },
        .init(.pbpaste, names: "-Prefer", value: true) { $0.types = types(preferredAs: $1) },

        .init(.wlCopy, .wlPaste, names: "-p --primary") { request, _ in request.board = "primary" },
        .init(.wlCopy, .wlPaste, names: "-t --type", value: true) { $0.types = [$1] },
        .init(.wlCopy, .wlPaste, names: "-s --seat", value: true) { _, _ in },
        .init(.wlCopy, .wlPaste, names: "-v --version") { request, _ in request.actions = [.version] },
        .init(.wlCopy, names: "-n --trim-newline") { request, _ in request.trimsNewline = true },
        .init(.wlCopy, names: "-o --paste-once") { request, _ in request.loads = 1 },
        .init(.wlCopy, names: "-f --foreground") { request, _ in request.staysInForeground = true },
        .init(.wlCopy, names: "-c --clear") { request, _ in request.actions = [.clear] },
        .init(.wlCopy, names: "--sensitive") { request, _ in request.isSensitive = true },
        .init(.wlPaste, names: "-n --no-newline") { request, _ in request.endsLine = false },
        .init(.wlPaste, names: "-l --list-types") { request, _ in request.actions = [.types] },
        .init(.wlPaste, names: "-w --watch", value: true) { $0.watch($1) },

        .init(.xclip, names: "-selection", value: true) { $0.board = try board(ofSelection: $1) },
        .init(.xclip, names: "-in") { request, _ in request.actions = [.input] },
        .init(.xclip, names: "-out") { request, _ in request.actions = [.output] },
        .init(.xclip, names: "-target", value: true) { $0.types = [$1] },
        .init(.xclip, names: "-loops", value: true) { $0.loads = try number($1, of: "-loops") },
        .init(.xclip, names: "-filter") { request, _ in request.printsInput = true },
        .init(.xclip, names: "-wait", value: true) { request, value in
            // The delay lets programs list the types first; here that does not count as a paste.
            if try number(value, of: "-wait") != nil { request.loads = 1 }
        },
        .init(.xclip, names: "-alt-text", value: true) { $0.alternative = $1 },
        .init(.xclip, names: "-rmlastnl") { request, _ in request.trimsNewline = true },
        .init(.xclip, names: "-version") { request, _ in request.actions = [.version] },
        .init(.xclip, names: "-quiet -verbose") { request, _ in request.staysInForeground = true },
        .init(.xclip, names: "-silent") { request, _ in request.staysInForeground = false },
        .init(.xclip, names: "-sensitive") { request, _ in request.isSensitive = true },
        .init(.xclip, names: "-noutf8") { _, _ in },
        .init(.xclip, names: "-display", value: true) { _, _ in },

        // The clipboard has precedence, in any order.
        .init(.xsel, names: "-p --primary") { request, _ in
            if request.board != "general" { request.board = "primary" }
        },
        .init(.xsel, names: "-s --secondary") { request, _ in
            if request.board != "general" { request.board = "secondary" }
        },
        .init(.xsel, names: "-b --clipboard") { request, _ in request.board = "general" },
        .init(.xsel, names: "-i --input") { request, _ in request.actions.insert(.input) },
        .init(.xsel, names: "-o --output") { request, _ in request.actions.insert(.output) },
        .init(.xsel, names: "-c --clear") { request, _ in request.actions.insert(.clear) },
        .init(.xsel, names: "-k --keep") { request, _ in request.actions = [.keep] },
        .init(.xsel, names: "-a --append") { request, _ in
            request.actions.insert(.input)
            request.appends = true
        },
        .init(.xsel, names: "-n --nodetach") { request, _ in request.staysInForeground = true },
        .init(.xsel, names: "-t --selectionTimeout", value: true) { $0.timeout = try number($1, of: "-t") },
        .init(.xsel, names: "--trim") { request, _ in request.trimsNewline = true },
        .init(.xsel, names: "-l --logfile --display -m --name --windowName", value: true) { _, _ in },
        .init(.xsel, names: "-v --verbose") { _, _ in },
        .init(.xsel, names: "--version") { request, _ in request.actions = [.version] },

        .init(.pbcopy, .pbpaste, .xclip, names: "-help") { request, _ in request.actions = [.help] },
        .init(.wlCopy, .wlPaste, .xsel, names: "-h --help") { request, _ in request.actions = [.help] },
    ]

    /// The option that an argument names in full, else the first one that begins with it.
    static func named(_ name: String, of program: ShimProgram) -> ShimOption? {
        let options = table.filter { $0.programs.contains(program) }
        if let option = options.first(where: { $0.names.contains(name) }) { return option }
        let isAbbreviation = name.utf8.count >= (program.hasLongNamesOnly ? 2 : 3)
        return isAbbreviation ? options.first { $0.names.contains { $0.hasPrefix(name) } } : nil
    }

    /// A limit; nil for 0, which stands for none.
    private static func number(_ text: String, of option: String) throws -> UInt32? {
        guard let number = UInt32(text) else {
            throw CommandFailure(usage: "invalid number '\(text)' of \(option); write 1 or more, or 0 for no limit")
        }
        return number == 0 ? nil : number
    }

    /// The board of a selection, whose first letter is sufficient.
    private static func board(ofSelection name: String) throws -> String {
        switch name.lowercased().first {
        case "c": "general"
        case "p": "primary"
        case "s": "secondary"
        case "b": "buffer-cut"
        default:
            throw CommandFailure(
                usage: "there is no selection '\(name)'; write clipboard, primary, secondary or buffer-cut"
            )
        }
    }

    private static func types(preferredAs name: String) -> [String] {
        switch name {
        case "rtf": ["public.rtf", "text"]
        case "ps": ["com.adobe.postscript", "com.adobe.encapsulated-postscript", "text"]
        default: ["text"]
        }
    }
}
