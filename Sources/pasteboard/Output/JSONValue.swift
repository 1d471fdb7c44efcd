import PasteboardWire

/// A JSON value that is written on one line. The members of an object keep their order.
enum JSONValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    case null
    case number(UInt64)
    case string(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    init(stringLiteral value: String) {
        self = .string(value)
    }

    init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements)
    }

    init(_ number: (some BinaryInteger)?) {
        self = number.map { .number(UInt64(clamping: $0)) } ?? .null
    }

    init(_ text: String?) {
        self = text.map { .string($0) } ?? .null
    }

    var line: String {
        var text = ""
        append(to: &text)
        return text + "\n"
    }

    private func append(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .number(let number): text += String(number)
        case .string(let string): Self.append(string, to: &text)
        case .array(let elements):
            Self.append(elements, between: ("[", "]"), to: &text) { $0.append(to: &$1) }
        case .object(let members):
            Self.append(members, between: ("{", "}"), to: &text) { member, text in
                Self.append(member.0, to: &text)
                text += ":"
                member.1.append(to: &text)
            }
        }
    }

    private static func append<Element>(
        _ elements: [Element],
        between brackets: (String, String),
        to text: inout String,
        _ body: (Element, inout String) -> Void
    ) {
        text += brackets.0
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            body(element, &text)
        }
        text += brackets.1
    }

    private static func append(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            // The grammar requires fewer escapes, but the line may be shown on a terminal. All these scalars are below
            // U+10000.
            case _ where scalar.isHarmful:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
