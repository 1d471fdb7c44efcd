/// A word, a text in quotes, bytes in angle brackets, or a sign. `->` is the sign `>`.
enum ExchangeToken: Equatable {
    case word(String)
    case text([UInt8])
    case bytes([UInt8])
    case sign(Character)
}

/// A value of a field as an exchange writes it.
indirect enum WrittenValue {
    case number(UInt64)
    /// The name of a value of an enumeration, or one that stands for a value of the broker.
    case word(String)
    case bytes([UInt8])
    case list([WrittenValue])
    case message([WrittenField])
}

/// A field as an exchange writes it.
enum WrittenField {
    /// A value without a name is that of the main field, or the name of a field and of its value.
    case value(name: String?, WrittenValue)
    case absent(String)
    /// Bytes of a payload, as they are.
    case raw([UInt8])
}

/// The words of a line of an exchange.
struct WordReader {
    private let tokens: [ExchangeToken]
    private let line: String
    /// The position of each token in the line.
    private let starts: [String.Index]
    private var index = 0

    init(_ line: String) throws(ExchangeSyntax) {
        var characters = line.unicodeScalars[...]
        var tokens: [ExchangeToken] = []
        var starts: [String.Index] = []
        while let first = characters.first {
            if first != " " { starts.append(characters.startIndex) }
            switch first {
            case " ": characters.removeFirst()
            case "\"": tokens.append(.text(try Self.quoted(&characters)))
            case "<": tokens.append(.bytes(try Self.hexadecimal(&characters)))
            case "-" where characters.dropFirst().first == ">":
                characters.removeFirst(2)
                tokens.append(.sign(">"))
            case "{", "}", "[", "]", ",", ":", ";", "*":
                characters.removeFirst()
                tokens.append(.sign(Character(first)))
            default:
                let word = characters.prefix { !" \"<{}[],:;*".unicodeScalars.contains($0) }
                characters.removeFirst(word.count)
                tokens.append(.word(String(word)))
            }
        }
        (self.tokens, self.line, self.starts) = (tokens, line, starts)
    }

    private static func quoted(_ text: inout Substring.UnicodeScalarView) throws(ExchangeSyntax) -> [UInt8] {
        var result = ""
        text.removeFirst()
        while let scalar = text.popFirst(), scalar != "\"" {
            guard scalar == "\\" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch text.popFirst() {
            case "n": result += "\n"
            case "u":
                let digits = text.dropFirst().prefix { $0 != "}" }
                text.removeFirst(min(text.count, digits.count + 2))
                guard let scalar = UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init) else {
                    throw ExchangeSyntax("'\\u{\(String(digits))}' is no character")
                }
                result.unicodeScalars.append(scalar)
            case let other?: result.unicodeScalars.append(other)
            case nil: throw ExchangeSyntax("a text has no end")
            }
        }
        return Array(result.utf8)
    }

    /// Bytes such as `<4b 00*512>`.
    private static func hexadecimal(_ text: inout Substring.UnicodeScalarView) throws(ExchangeSyntax) -> [UInt8] {
        let words = String(text.dropFirst().prefix { $0 != ">" })
        text.removeFirst(min(text.count, words.unicodeScalars.count + 2))
        var bytes: [UInt8] = []
        for word in words.split(separator: " ") { bytes += try VectorFile.bytes(of: word) }
        return bytes
    }

    var isAtEnd: Bool { index == tokens.count }
    var next: ExchangeToken? { isAtEnd ? nil : tokens[index] }

    /// The number of the next token.
    var position: Int { index }

    /// The text from a token to the next one.
    func text(from position: Int) -> String {
        let end = isAtEnd ? line.endIndex : starts[index]
        return String(line[starts[position]..<end].reversed().drop { $0 == " " }.reversed())
    }

    /// Whether the next word is a name before a colon.
    var isName: Bool { tokens.dropFirst(index + 1).first == .sign(":") }

    /// Moves past a sign, if it is the next one.
    mutating func takes(_ sign: Character) -> Bool {
        guard next == .sign(sign) else { return false }
        index += 1
        return true
    }

    /// Moves past a word that is followed by a sign, or by any other token if that is nil.
    mutating func word(before sign: Character? = nil) -> String? {
        guard case .word(let word) = next, sign == nil || tokens.dropFirst(index + 1).first == .sign(sign ?? " ") else {
            return nil
        }
        index += sign == nil ? 1 : 2
        return word
    }

    /// Moves past a text or bytes.
    mutating func bytes() -> [UInt8]? {
        switch next {
        case .text(let bytes), .bytes(let bytes):
            index += 1
            return bytes
        default: return nil
        }
    }

    mutating func number() throws(ExchangeSyntax) -> UInt64 {
        guard let number = word().flatMap({ UInt64($0) }) else { throw ExchangeSyntax("a number is missing") }
        return number
    }

    /// Moves past fields between commas.
    mutating func fields() throws(ExchangeSyntax) -> [WrittenField] {
        var fields: [WrittenField] = []
        repeat {
            if let name = word(before: ":") {
                fields.append(.value(name: name, try value()))
            } else if next == .word("no") {
                index += 1
                fields.append(.absent(word() ?? ""))
            } else if case .bytes(let bytes) = next {
                index += 1
                fields.append(.raw(bytes))
            } else {
                fields.append(.value(name: nil, try value()))
            }
        } while takes(",")
        return fields
    }

    mutating func value() throws(ExchangeSyntax) -> WrittenValue {
        if let bytes = bytes() { return .bytes(bytes) }
        if let word = word() {
            if let number = UInt64(word) { return .number(number) }
            return Int64(word).map { .number(UInt64(bitPattern: $0)) } ?? .word(word)
        }
        if takes("[") {
            var values: [WrittenValue] = []
            while !takes("]") {
                let count = word(before: "*").flatMap { Int($0) } ?? 1
                values += [WrittenValue](repeating: try value(), count: count)
                guard takes(",") || next == .sign("]") else { throw ExchangeSyntax("a list has no end") }
            }
            return .list(values)
        }
        guard takes("{") else { throw ExchangeSyntax("a value is missing") }
        if takes("}") { return .message([]) }
        let fields = try self.fields()
        guard takes("}") else { throw ExchangeSyntax("a message has no end") }
        return .message(fields)
    }
}

/// The reason why a line is not in the format of the exchanges.
struct ExchangeSyntax: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
