/// The fields of a message as `name: value`, in the order in which they were sent. The entries of a list are joined.
struct ShownFields: FieldVisitor {
    private var input: FieldDecoder
    private var fields: [(name: String, texts: [String], isList: Bool)] = []

    private init(_ input: FieldDecoder) {
        self.input = input
    }

    static func texts<Message: ProtobufMessage>(of type: Message.Type, in input: FieldDecoder) -> [String] {
        var shown = Self(input)
        shown.read(Message())
        return shown.fields.map { field in
            guard type != Hello.self || field.name != "groups" else {
                return "groups: \(count(field.texts.count, "token"))"
            }
            let text = field.texts.joined(separator: ", ")
            return "\(field.name): \(field.isList ? "[\(text)]" : text)"
        }
    }

    private mutating func read(_ message: some ProtobufMessage) {
        var message = message
        input.next()
        while input.key != 0 {
            let start = input.offset
            message.fields(&self)
            guard input.key != 0, input.offset == start else { continue }
            let text =
                switch input.key & 7 {
                case 0: "\(input.value)"
                case 2: Self.count(Int(input.value), "byte")
                default: "a fixed field"
                }
            fields.append(("field \(input.key >> 3)", [text], false))
            input.skip()
        }
    }

    mutating func callAsFunction<Value: WireValue>(
        _ number: UInt32,
        _ name: StaticString,
        _ value: inout Value,
        most: Int
    ) {
        while input.key >> 3 == UInt64(number) {
            let start = input
            var sent = Value.initial
            sent.decode(from: &input, most: most)
            input.next()
            // A value that its message always has is not shown if it is 0 or empty.
            if sent != Value.initial { add("\(name)", sent, at: start) }
        }
    }

    private mutating func add(_ name: String, _ value: Any, at start: FieldDecoder) {
        guard let list = value as? [Any], !(value is [UInt8]) else {
            return fields.append((name, [Self.text(of: value, name, at: start)], false))
        }
        let texts = list.map { Self.text(of: $0, name, at: start) }
        if let index = fields.firstIndex(where: { $0.name == name }) {
            fields[index].texts += texts
        } else {
            fields.append((name, texts, true))
        }
    }

    /// The text of a value that is no list.
    private static func text(of value: Any, _ name: String, at start: FieldDecoder) -> String {
        switch value {
        case let value as any WireEnumeration: self.name(of: value)
        case let value as ErrorCode: "\(value)"
        case let value as any WireNumber: "\(value.rawValue)"
        case let value as String: quoted(value)
        case let value as UInt32 where name == "features" || name == "requires":
            Feature(rawValue: value).map { "\($0)" } ?? "\(value)"
        // The name of a file.
        case let value as [UInt8] where name == "name": quoted(String(decoding: value, as: UTF8.self))
        case let value as [UInt8]: count(value.count, "byte")
        case let value as any ProtobufMessage: "{\(texts(ofPart: type(of: value), at: start).joined(separator: ", "))}"
        case let value as any CustomStringConvertible: "\(value)"
        default: ""
        }
    }

    private static func texts(ofPart type: any ProtobufMessage.Type, at start: FieldDecoder) -> [String] {
        var input = start
        return input.enter() ? texts(of: type, in: input) : []
    }

    private static func name(of value: some WireEnumeration) -> String {
        value.isKnown ? type(of: value).names[Int(value.rawValue)] : "\(value.rawValue)"
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        return "\"\(String(escaped).visible)\""
    }

    static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
