/// The encoding of a message whose fields an exchange writes, by the schema.
struct WrittenMessage {
    /// The fields in the order of their numbers.
    private(set) var bytes: [UInt8] = []
    /// The values that have names, with their ranges in `bytes`.
    private(set) var values: [VectorFrame.NamedValue] = []
    /// The fields that this message, or one in it, must not contain.
    private(set) var absentFields: [VectorFrame.AbsentField] = []

    private typealias Numbered = (number: UInt32, field: ProtocolSchema.Field)

    init(_ fields: [WrittenField], of message: String) throws(ExchangeSyntax) {
        var parts: [(number: UInt32, part: WrittenMessage)] = []
        for field in fields {
            switch field {
            case .raw(let bytes): parts.append((.max, WrittenMessage(bytes)))
            case .absent(let name):
                absentFields.append(.init(start: 0, number: try Self.field(name, of: message).number))
            case .value(let name, let value):
                let (number, field) = try Self.field(of: value, named: name, of: message)
                parts.append((number, try Self.part(value, number, field)))
            }
        }
        // A stable order, because a field may be sent twice.
        for number in Set(parts.map(\.number)).sorted() {
            for part in parts where part.number == number { append(part.part) }
        }
    }

    private init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    private mutating func append(_ other: WrittenMessage) {
        values += other.values.map { value in
            let range = bytes.count + value.range.lowerBound..<bytes.count + value.range.upperBound
            return VectorFrame.NamedValue(name: value.name, range: range)
        }
        absentFields += other.absentFields.map { $0.moved(by: bytes.count) }
        bytes += other.bytes
    }

    // MARK: Fields

    private static func field(_ name: String, of message: String) throws(ExchangeSyntax) -> Numbered {
        guard let field = ProtocolSchema.shipped.messages[message]?.first(where: { $0.value.name == name }) else {
            throw ExchangeSyntax("\(message) has no field '\(name)'")
        }
        return (field.key, field.value)
    }

    /// The field of a value. One without a name belongs to the main field, unless it is the name of a field itself.
    private static func field(
        of value: WrittenValue,
        named name: String?,
        of message: String
    ) throws(ExchangeSyntax) -> Numbered {
        if let name { return try field(name, of: message) }
        if case .word(let word) = value, let field = try? field(word, of: message) { return field }
        let fields = ProtocolSchema.shipped.messages[message] ?? [:]
        guard let number = ShortForms.mainFields[message] ?? fields.keys.min(), let field = fields[number] else {
            throw ExchangeSyntax("\(message) has no fields")
        }
        return (number, field)
    }

    /// A field with its key.
    private static func part(
        _ value: WrittenValue,
        _ number: UInt32,
        _ field: ProtocolSchema.Field
    ) throws(ExchangeSyntax) -> WrittenMessage {
        var part = WrittenMessage()
        guard field.label == "repeated", case .list(let list) = value else {
            let isNumber = field.isNumber
            part.bytes = varint(UInt64(number) << 3 | (isNumber ? 0 : 2))
            part.append(try isNumber ? Self.number(value, field) : contents(of: value, field))
            return part
        }
        guard field.isNumber else {
            for value in list { part.append(try Self.part(value, number, field)) }
            return part
        }
        var numbers = WrittenMessage()
        for value in list { numbers.append(try Self.number(value, field)) }
        part.bytes = varint(UInt64(number) << 3 | 2) + varint(UInt64(numbers.bytes.count))
        part.append(numbers)
        return part
    }

    /// The length and the bytes of a text, of bytes or of a message.
    private static func contents(
        of value: WrittenValue,
        _ field: ProtocolSchema.Field
    ) throws(ExchangeSyntax) -> WrittenMessage {
        var contents: WrittenMessage
        if ProtocolSchema.shipped.messages[field.type] != nil {
            if case .message(let fields) = value {
                contents = try WrittenMessage(fields, of: field.type)
            } else {
                contents = try WrittenMessage([.value(name: nil, value)], of: field.type)
            }
        } else {
            switch value {
            case .bytes(let bytes): contents = WrittenMessage(bytes)
            case .word(let word):
                guard let text = ShortForms.texts[word] else { return named(word, [1, 0x61]) }
                contents = WrittenMessage(Array(text.utf8))
            default: throw ExchangeSyntax("\(field.name) is a text")
            }
        }
        var result = WrittenMessage(varint(UInt64(contents.bytes.count)))
        result.append(contents)
        return result
    }

    private static func number(
        _ value: WrittenValue,
        _ field: ProtocolSchema.Field
    ) throws(ExchangeSyntax)
        -> WrittenMessage
    {
        switch value {
        case .number(let number): return WrittenMessage(varint(number))
        case .word(let word):
            if field.type == "bool", ["false", "true"].contains(word) {
                return WrittenMessage(word == "true" ? [1] : [0])
            }
            let known = ProtocolSchema.shipped.number(of: word, in: field.type)
            return known.map { WrittenMessage(varint($0)) } ?? named(word, [1])
        default: throw ExchangeSyntax("\(field.name) is a number")
        }
    }

    /// A value that the broker chooses, with a sample of it.
    private static func named(_ name: String, _ sample: [UInt8]) -> WrittenMessage {
        var value = WrittenMessage(sample)
        value.values = [VectorFrame.NamedValue(name: name, range: 0..<sample.count)]
        return value
    }

    private static func varint(_ number: UInt64) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(truncatingIfNeeded: number) | 128] + varint(number >> 7)
    }
}
