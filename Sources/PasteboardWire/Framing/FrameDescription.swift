/// A frame as one line of text, for people who watch a connection: the kind, the stream, the fields, the descriptors.
///
/// The fields are found by decoding each of them alone with the message's own code. Their names are those of the schema,
/// which the properties of the messages have in another spelling. So no table has to be kept up to date for this.
///
/// Bytes of contents are shown as their number only. So are the tokens of a hello: a program that knows one sees what
/// other programs share with their group.
package struct FrameDescription: Sendable {
    /// The largest number of bytes of a malformed message that is shown.
    private static let shownBytes = 64

    package let text: String

    /// Describes a whole frame, or a `data` frame whose payload is not needed.
    package init(_ header: FrameHeader, payload: Span<UInt8>) {
        var text = "\(header.kind.map { "\($0)" } ?? "kind \(header.rawKind)") #\(header.stream)"
        var parts: [String] = []
        if let message = header.kind?.message {
            parts = Self.parts(of: message, payload)
        } else {
            parts = [FieldText.count(Int(header.length), "byte")]
        }
        let others = header.flags.subtracting([.last, .mustUnderstand]).rawValue
        if header.flags.contains(.last) { parts.append("last") }
        if header.flags.contains(.mustUnderstand) { parts.append("must understand") }
        if others != 0 { parts.append("flags \(others)") }
        if header.version != FrameHeader.version { parts.append("version \(header.version)") }
        if !parts.isEmpty { text += " " + parts.joined(separator: ", ") }
        if header.descriptorCount > 0 { text += " +" + FieldText.count(Int(header.descriptorCount), "descriptor") }
        self.text = text
    }

    private static func parts(of message: any WireMessage.Type, _ payload: Span<UInt8>) -> [String] {
        do throws(Failure) {
            // The whole message, too: it may break a rule that none of its fields breaks alone.
            _ = try message.init(decoding: payload)
            return try message.shownFields(in: payload, range: 0..<payload.count)
        } catch {
            let size = FieldText.count(payload.count, "byte")
            // A part of a hello may be a token, and a part of an item a program's own bytes.
            guard message != Hello.self, message != Item.self else {
                return ["malformed (\(error.text.visible))", "\(size), not shown"]
            }
            let isLong = payload.count > shownBytes
            let bytes = payload.extracting(first: shownBytes)
            var digits: [String] = []
            for index in bytes.indices {
                digits.append((bytes[index] < 16 ? "0" : "") + String(bytes[index], radix: 16))
            }
            return [
                "malformed (\(error.text.visible))", "\(size): \(digits.joined(separator: " "))\(isLong ? " …" : "")",
            ]
        }
    }
}

/// The text of values and of fields.
private enum FieldText {
    /// Fields whose number is signed. Their messages store it as two's complement.
    static let signed: Set = ["x", "y", "modifiedSeconds"]

    static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    static func quoted(_ text: String) -> String {
        let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        return "\"\(String(escaped).visible)\""
    }

    /// The name of a property in the spelling of the schema: `changeCount` is `change_count`.
    static func schemaName(_ property: String) -> String {
        var name = ""
        for character in property {
            name += character.isUppercase ? "_\(character.lowercased())" : "\(character)"
        }
        return name
    }

    /// The text of a value that is neither a list nor a message.
    static func text(_ value: Any, property: String, in message: any ProtobufMessage.Type) -> String {
        switch value {
        case let value as any WireEnumeration: return name(of: value)
        case let value as ErrorCode: return "\(value)"
        case let value as any RawRepresentable<UInt32>: return "\(value.rawValue)"
        case let value as String: return quoted(value)
        case let value as UInt64 where signed.contains(property) || message == SourceFailure.self:
            return "\(Int64(bitPattern: value))"
        case let value as UInt32 where property == "features" || property == "requires":
            return Feature(rawValue: value).map { "\($0)" } ?? "\(value)"
        default: return "\(value)"
        }
    }

    private static func name(of value: some WireEnumeration) -> String {
        value.isKnown ? type(of: value).names[Int(value.rawValue)] : "\(value.rawValue)"
    }
}

/// The values of one property of a message.
private struct ShownProperty {
    let property: String
    /// Each is a number, a string, bytes, or a message. More than one only if `isList`.
    var values: [Any]
    let isList: Bool

    /// The properties of a message that have a value. An absent one has none, and an empty list.
    static func all(of message: some ProtobufMessage) -> [ShownProperty] {
        let mirror = Mirror(reflecting: message)
        // A failure keeps its fields in a separate object.
        let fields = message is Failure ? mirror.children.first.map { Mirror(reflecting: $0.value) } ?? mirror : mirror
        return fields.children.map { child in
            var value = child.value
            let own = Mirror(reflecting: value)
            let property = child.label ?? ""
            if own.displayStyle == .optional {
                guard let content = own.children.first else {
                    return ShownProperty(property: property, values: [], isList: false)
                }
                value = content.value
            }
            // The types are compared instead of cast, because any empty list can be cast to this type.
            if type(of: value) != [UInt8].self, let list = value as? [Any] {
                return ShownProperty(property: property, values: list, isList: true)
            }
            return ShownProperty(property: property, values: [value], isList: false)
        }
    }

    /// Whether a property of a message without fields has the same values: they have not been sent.
    func isSame(as other: ShownProperty) -> Bool {
        guard values.count == other.values.count else { return false }
        return zip(values, other.values).allSatisfy { "\($0)" == "\($1)" }
    }
}

extension ProtobufMessage {
    /// The fields of a message as `name: value`, in the order in which they were sent. The entries of a list are joined.
    fileprivate static func shownFields(in bytes: Span<UInt8>, range: Range<Int>) throws(Failure) -> [String] {
        let absent = ShownProperty.all(of: Self())
        var fields: [(name: String, texts: [String], isList: Bool)] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            let field = try Protobuf.field(in: bytes, at: &offset, end: range.upperBound)
            var alone = Self()
            try alone.decode(field, in: bytes)
            let properties = zip(ShownProperty.all(of: alone), absent)
            guard let (sent, _) = properties.first(where: { !$0.isSame(as: $1) }) else {
                // The field has the value that it has by default, or is not known.
                if !Self.knows(field) { fields.append(("field \(field.number)", [field.shownValue], false)) }
                continue
            }
            let name = FieldText.schemaName(sent.property)
            let texts = try Self.texts(of: sent, field, in: bytes)
            if sent.isList, let index = fields.firstIndex(where: { $0.name == name }) {
                fields[index].texts += texts
            } else {
                fields.append((name, texts, sent.isList))
            }
        }
        return fields.map { field in
            guard Self.self != Hello.self || field.name != "groups" else {
                return "groups: \(FieldText.count(field.texts.count, "token"))"
            }
            let text = field.texts.joined(separator: ", ")
            return "\(field.name): \(field.isList ? "[\(text)]" : text)"
        }
    }

    private static func texts(
        of sent: ShownProperty,
        _ field: ProtobufField,
        in bytes: Span<UInt8>
    ) throws(Failure) -> [String] {
        var texts: [String] = []
        for value in sent.values {
            if let message = value as? any ProtobufMessage {
                let inner = try type(of: message).shownFields(in: bytes, range: try field.range())
                texts.append("{\(inner.joined(separator: ", "))}")
            } else if let content = value as? [UInt8] {
                let isName = Self.self == FileAttributes.self
                texts.append(
                    isName
                        ? FieldText.quoted(String(decoding: content, as: UTF8.self))
                        : FieldText.count(content.count, "byte")
                )
            } else {
                texts.append(FieldText.text(value, property: sent.property, in: Self.self))
            }
        }
        return texts
    }

    /// Whether the message has a field of this number. A field that it has cannot have a fixed size.
    private static func knows(_ field: ProtobufField) -> Bool {
        var message = Self()
        do throws(Failure) {
            try message.decode(ProtobufField(number: field.number, value: .skipped), in: Span())
            return false
        } catch {
            return true
        }
    }
}

extension ProtobufField {
    /// The value of a field that is not known.
    fileprivate var shownValue: String {
        switch value {
        case .number(let number): "\(number)"
        case .bytes(let range): FieldText.count(range.count, "byte")
        case .skipped: "a fixed field"
        }
    }
}
