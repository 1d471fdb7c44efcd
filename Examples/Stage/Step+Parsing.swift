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
        switch word {
        case "register":
            guard let name = words.popFirst() else { return nil }
            self = .register(String(name))
        case "unregister": self = .unregister
        case "press":
            guard let spot = Spot(taking: &words) else { return nil }
            self = .press(spot)
        case "add":
            guard let spot = Spot(taking: &words) else { return nil }
            self = .add(spot)
        case "hover":
            guard let target = Target(taking: &words) else { return nil }
            self = .hover(target)
        case "items": self = .items
        case "lift": self = .lift
        case "cancel": self = .cancel
        case "select":
            if words.elementsEqual(["none"]) {
                words = []
                self = .select(nil)
            } else {
                guard let row = Spot(takingRow: &words) else { return nil }
                self = .select(row)
            }
        case "edit":
            guard let isOn = Bool(takingSwitch: &words) else { return nil }
            self = .edit(isOn)
        case "enable":
            guard let isOn = Bool(takingSwitch: &words) else { return nil }
            self = .enable(isOn)
        case "peek": self = .peek
        case "insert":
            guard let row = Spot(takingRow: &words) else { return nil }
            self = .insert(row, words.rest())
        case "remove":
            guard let row = Spot(takingRow: &words) else { return nil }
            self = .remove(row)
        case "reload": self = .reload(surface: words.popFirst().map(String.init))
        case "release":
            guard !words.isEmpty else { return nil }
            self = .release(words.rest())
        case "break":
            guard !words.isEmpty else { return nil }
            self = .spoil(words.rest())
        case "advance":
            guard let percent = words.popFirst().flatMap({ Int($0) }), 0...100 ~= percent, !words.isEmpty else {
                return nil
            }
            self = .advance(words.rest(), percent)
        case "stop":
            guard !words.isEmpty else { return nil }
            self = .stop(words.rest())
        case "image":
            guard !words.isEmpty else { return nil }
            let file = words.rest()
            self = .image(file == "none" ? nil : file)
        case "show": self = .show
        case "wait":
            guard !words.isEmpty else { return nil }
            self = .wait(words.rest())
        case "seek":
            guard let name = words.popFirst() else { return nil }
            self = .seek(String(name))
        case "say":
            guard !words.isEmpty else { return nil }
            self = .say(words.rest())
        case "quit": self = .quit
        default: return nil
        }
        guard words.isEmpty else { return nil }
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
        if name == "nowhere" {
            self = .nowhere
        } else if let word = words.popFirst() {
            guard let position = Spot.Position(word) else { return nil }
            self = .destination(name == "here" ? "" : String(name), position)
        } else {
            self = .destination(name == "here" ? "" : String(name), nil)
        }
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
    /// Takes the remaining words as one text.
    fileprivate mutating func rest() -> String {
        defer { self = [] }
        return joined(separator: " ")
    }
}
