package import PasteboardWire

/// The contents of `pasteboard.proto` and `frame-kinds.tsv` that the comparison of messages needs.
package struct ProtocolSchema: Sendable {
    package struct Field: Sendable, Equatable {
        /// "optional", "repeated", or nothing.
        package let label: String
        package let name: String
        /// The name of its type, which may be a message or an enumeration.
        package let type: String

        package init(label: String, name: String, type: String) {
            (self.label, self.name, self.type) = (label, name, type)
        }

        /// Whether the type is a number, a Boolean or an enumeration. All other types begin with their length.
        var isNumber: Bool {
            !["string", "bytes"].contains(type) && ProtocolSchema.shipped.messages[type] == nil
        }
    }

    struct Kind {
        /// The message of the kind, or "-".
        let message: String
        /// The sorts of streams on which a broker sends it.
        let brokerSorts: Set<String>
    }

    package static let shipped = ProtocolSchema(
        schema: Repository.text(Repository.schema),
        kinds: Repository.text(Repository.frameKinds)
    )

    /// The fields of each message by their numbers.
    package private(set) var messages: [String: [UInt32: Field]] = [:]
    /// The names of the values of each enumeration by their numbers.
    package private(set) var enumerations: [String: [UInt64: String]] = [:]
    private var kinds: [FrameKind: Kind] = [:]

    package init(schema: String, kinds table: String) {
        var name = ""
        for line in schema.split(separator: "\n") {
            let words = line.prefix { $0 != "/" && $0 != ";" }.split(separator: " ").map(String.init)
            if words.count > 1, words[0] == "message" || words[0] == "enum" {
                name = words[1]
                if words[0] == "message" { messages[name] = [:] } else { enumerations[name] = [:] }
            } else if words.count > 2, words[words.count - 2] == "=" {
                let number = UInt64(words[words.count - 1]) ?? 0
                if words.count == 3 { enumerations[name]?[number] = words[0] }
                guard words.count > 3 else { continue }
                messages[name]?[UInt32(truncatingIfNeeded: number)] = Field(
                    label: words.count > 4 ? words[0] : "",
                    name: words[words.count - 3],
                    type: words[words.count - 4]
                )
            }
        }
        for line in table.split(separator: "\n").dropFirst() {
            let cells = line.split(separator: "\t").map(String.init)
            guard cells.count > 4, let kind = UInt8(cells[0]).flatMap(FrameKind.init(rawValue:)) else { continue }
            let sorts = cells[4].split(separator: ",").map(String.init)
            kinds[kind] = Kind(message: cells[2], brokerSorts: Set(sorts))
        }
    }

    package func message(of kind: FrameKind) -> String? {
        kinds[kind].flatMap { $0.message == "-" ? nil : $0.message }
    }

    /// Whether a broker may send the kind on this sort of stream at all.
    func letsBroker(send kind: FrameKind, on sort: StreamSort) -> Bool {
        kinds[kind]?.brokerSorts.contains("\(sort)") == true
    }

    /// The number of a value of an enumeration, by its name without the prefix: `source-gone`.
    func number(of name: String, in enumeration: String) -> UInt64? {
        let words = enumeration.reduce("") { $0 + ($1.isUppercase && !$0.isEmpty ? "_" : "") + $1.uppercased() }
        let name = "\(words)_\(name.uppercased().replacing("-", with: "_"))"
        return enumerations[enumeration]?.first { $0.value == name }?.key
    }

    /// A number as its field shows it: with the name of the value if the field's type is an enumeration.
    func text(of number: UInt64, in field: Field?) -> String {
        guard let name = field.flatMap({ enumerations[$0.type]?[number] }) else { return "\(number)" }
        return "\(number) (\(name))"
    }
}
