/// The contents of `pasteboard.proto`. The tests of messages are generated from it, so that schema and code cannot
/// diverge.
struct Schema {
    struct Field {
        enum Kind: Equatable {
            case uint32
            case uint64
            case int64
            case enumeration
            case bool
            case string
            case bytes
            case message(String)
        }

        /// Whether an absent field differs from one with the default value.
        enum Presence: String {
            case implicit
            case optional
            case repeated
        }

        let number: UInt64
        /// The name in the spelling of the code.
        let name: String
        /// The name in the schema.
        let schemaName: String
        let kind: Kind
        let presence: Presence
    }

    private(set) var messages: [String: [Field]] = [:]
    /// The names of the values, in the order of their numbers.
    private(set) var enumerations: [String: [String]] = [:]

    static let shipped = Result { try Schema(Repository.text(Repository.schema)) }

    init(_ text: String) throws {
        // The schema declares its enumerations before the messages.
        var current: String?
        var enumeration: String?
        for line in text.split(separator: "\n") {
            let words = line.prefix { $0 != "/" && $0 != ";" }.split(separator: " ").map(String.init)
            if words.first == "message", words.count > 1 {
                messages[words[1]] = []
                current = words.last == "{}" ? nil : words[1]
            } else if words.first == "enum", words.count > 1 {
                enumerations[words[1]] = []
                enumeration = words[1]
            } else if words.first == "}" {
                current = nil
                enumeration = nil
            } else if let enumeration, words.count == 3 {
                enumerations[enumeration, default: []].append(words[0])
            } else if let current, words.count > 3 {
                messages[current, default: []].append(try Field(words, Set(enumerations.keys)))
            }
        }
    }
}

struct SchemaError: Error {
    let text: String
}

extension Schema.Field {
    /// Parses the words of a field such as `optional uint32 item_count = 4`.
    init(_ words: [String], _ enumerations: Set<String>) throws {
        let presence = Presence(rawValue: words[0])
        let rest = presence == nil ? words[...] : words.dropFirst()
        guard let type = rest.first, let number = words.last.flatMap({ UInt64($0) }), rest.count == 4 else {
            throw SchemaError(text: "not a field: \(words)")
        }
        switch type {
        case "uint32": kind = .uint32
        case "uint64": kind = .uint64
        case "int64": kind = .int64
        case "bool": kind = .bool
        case "string": kind = .string
        case "bytes": kind = .bytes
        default: kind = enumerations.contains(type) ? .enumeration : .message(type)
        }
        schemaName = rest[rest.startIndex + 1]
        let parts = schemaName.split(separator: "_")
        name = parts.first.map { $0 + parts.dropFirst().map(\.capitalizedFirst).joined() } ?? ""
        self.number = number
        self.presence = presence ?? .implicit
    }
}

extension Substring {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
