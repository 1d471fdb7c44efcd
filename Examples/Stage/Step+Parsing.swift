/// An error in a line of a script.
public struct StepError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error, and the correct form of the line.
    public let description: String

    /// Makes an error.
    public init(_ description: String) {
        self.description = description
    }
}

extension Step {
    /// The forms of the steps, for error messages.
    public static let forms: KeyValuePairs = [
        "register": "NAME", "unregister": "", "press": "[TABLE] ROW | X,Y", "add": "[TABLE] ROW | X,Y",
        "hover": "DESTINATION [ROW | X,Y] | here [ROW | X,Y] | nowhere", "items": "", "lift": "", "cancel": "",
        "select": "[TABLE] ROW | none", "edit": "on | off", "enable": "on | off",
        "peek": "", "insert": "[TABLE] ROW [TEXT]",
        "remove": "[TABLE] ROW", "reload": "[TABLE]", "release": "NAME",
        "break": "NAME", "advance": "PERCENT NAME", "stop": "NAME", "image": "FILE | none",
        "show": "", "wait": "BEGINNING OF A LINE", "seek": "DESTINATION", "say": "TEXT", "quit": "",
    ]

    /// Reads a line.
    ///
    /// - Returns: nil for an empty line and for a comment, which begins with `#`.
    /// - Throws: if the line is not a valid step.
    public init?(line: String) throws(StepError) {
        var words = line.split(whereSeparator: \.isWhitespace)[...]
        guard let word = words.popFirst(), !word.hasPrefix("#") else { return nil }
        guard let form = Self.forms.first(where: { $0.key == word })?.value else {
            let known = Self.forms.map(\.key).joined(separator: ", ")
            throw StepError("there is no step `\(word)`; there are: \(known)")
        }
        guard let step = Self(word: word, words) else {
            throw StepError("`\(line)` is not of the form `\(word)\(form.isEmpty ? "" : " ")\(form)`")
        }
        self = step
    }

    private init?(word: Substring, _ words: ArraySlice<Substring>) {
        var words = words
        let step: Step? =
            switch word {
            case "register": words.popFirst().map { .register(String($0)) }
            case "unregister": .unregister
            case "press": Spot(taking: &words).map { .press($0) }
            case "add": Spot(taking: &words).map { .add($0) }
            case "hover": Target(taking: &words).map { .hover($0) }
            case "items": .items
            case "lift": .lift
            case "cancel": .cancel
            case "select": words.takeNone() ? .select(nil) : Spot(takingRow: &words).map { .select($0) }
            case "edit": Bool(takingSwitch: &words).map { .edit($0) }
            case "enable": Bool(takingSwitch: &words).map { .enable($0) }
            case "peek": .peek
            case "insert": Spot(takingRow: &words).map { .insert($0, words.takeText() ?? "") }
            case "remove": Spot(takingRow: &words).map { .remove($0) }
            case "reload": .reload(surface: words.popFirst().map(String.init))
            case "release": words.takeText().map { .release($0) }
            case "break": words.takeText().map { .spoil($0) }
            case "advance": Self.advance(taking: &words)
            case "stop": words.takeText().map { .stop($0) }
            case "image": words.takeNone() ? .image(nil) : words.takeText().map { .image($0) }
            case "show": .show
            case "wait": words.takeText().map { .wait($0) }
            case "seek": words.popFirst().map { .seek(String($0)) }
            case "say": words.takeText().map { .say($0) }
            case "quit": .quit
            default: nil
            }
        guard let step, words.isEmpty else { return nil }
        self = step
    }

    private static func advance(taking words: inout ArraySlice<Substring>) -> Step? {
        guard let percent = words.popFirst().flatMap({ Int($0) }), 0...100 ~= percent else { return nil }
        return words.takeText().map { .advance($0, percent) }
    }
}

extension Spot {
    /// Takes a position, which may follow the name of a table.
    fileprivate init?(taking words: inout ArraySlice<Substring>) {
        guard let first = words.popFirst() else { return nil }
        if let position = Position(first) {
            self.init(position)
        } else {
            guard let word = words.popFirst(), let position = Position(word) else { return nil }
            self.init(surface: String(first), position)
        }
    }

    fileprivate init?(takingRow words: inout ArraySlice<Substring>) {
        self.init(taking: &words)
        guard case .row = position else { return nil }
    }
}

extension Step.Target {
    /// Takes `nowhere`, or the name of a destination, which a position may follow. `here` is the tree of views in which
    /// the drag began.
    fileprivate init?(taking words: inout ArraySlice<Substring>) {
        guard let name = words.popFirst() else { return nil }
        self = name == "nowhere" ? .nowhere : .destination(name == "here" ? "" : String(name), nil)
        guard case .destination(let name, _) = self, let word = words.popFirst() else { return }
        guard let position = Spot.Position(word) else { return nil }
        self = .destination(name, position)
    }
}

extension Bool {
    fileprivate init?(takingSwitch words: inout ArraySlice<Substring>) {
        switch words.popFirst() {
        case "on": self = true
        case "off": self = false
        default: return nil
        }
    }
}

extension ArraySlice<Substring> {
    /// Takes the remaining words as one text, if there are any.
    fileprivate mutating func takeText() -> String? {
        defer { self = [] }
        return isEmpty ? nil : joined(separator: " ")
    }

    /// Takes the word `none`, if it is the only one.
    fileprivate mutating func takeNone() -> Bool {
        let isNone = elementsEqual(["none"])
        if isNone { self = [] }
        return isNone
    }
}
