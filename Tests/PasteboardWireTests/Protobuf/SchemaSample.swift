import PasteboardWire
import TestSupport
import Testing

/// The bytes of a message, made from the schema alone, and the fields that they contain.
struct SchemaSample: Sendable, CustomTestStringConvertible {
    enum Filling: Sendable, CaseIterable {
        /// Every field is present, with a distinct value.
        case full
        /// Every field is present and 0 or empty.
        case zero
        /// Some fields are present.
        case random
    }

    let message: String
    private(set) var bytes: [UInt8] = []
    private(set) var lines: [String] = []

    var testDescription: String { message }

    /// The Swift type of the message.
    var type: any ProtobufMessage.Type {
        get throws { try #require(MessageTypes.named[message]) }
    }

    init(_ message: String, _ filling: Filling, in schema: Schema, using generator: inout SeededGenerator) throws {
        self.message = message
        (bytes, lines) = try Self.build(message, at: "", filling, schema, &generator)
        lines.sort()
    }

    /// One sample of every message, in the order of their names.
    static func all(_ filling: Filling, using generator: inout SeededGenerator) throws -> [Self] {
        let schema = try Schema.shipped.get()
        return try schema.messages.keys.sorted().map { try Self($0, filling, in: schema, using: &generator) }
    }

    static func all(_ filling: Filling) throws -> [Self] {
        var generator = SeededGenerator(seed: 1)
        return try all(filling, using: &generator)
    }

    private static func build(
        _ message: String,
        at path: String,
        _ filling: Filling,
        _ schema: Schema,
        _ generator: inout SeededGenerator
    ) throws -> (bytes: [UInt8], lines: [String]) {
        guard let fields = schema.messages[message] else { throw SchemaError(text: "no message \(message)") }
        var result: (bytes: [UInt8], lines: [String]) = ([], path.isEmpty ? [] : ["\(path)={}"])
        for field in fields.sorted(by: { $0.number < $1.number }) {
            var packed: [UInt8] = []
            for index in 0..<Self.count(of: field, filling, &generator) {
                let place = "\(path).\(field.name)" + (field.presence == .repeated ? "[\(index)]" : "")
                switch field.kind {
                case .uint32, .uint64, .int64, .enumeration, .bool:
                    let value = Self.number(field, filling, &generator)
                    let shown = field.kind == .bool ? "\(value != 0)" : "\(value)"
                    result.lines.append("\(place)=\(shown)")
                    packed += varint(value)
                case .string:
                    let value = Self.string(field, filling, &generator)
                    result.lines.append(FieldLine.string(value, at: place))
                    result.bytes.appendField(field, Array(value.utf8))
                case .bytes:
                    let value = Self.string(field, filling, &generator).utf8.reversed()
                    result.lines.append(FieldLine.bytes(Array(value), at: place))
                    result.bytes.appendField(field, Array(value))
                case .message(let name):
                    let inner = try Self.build(name, at: place, filling, schema, &generator)
                    result.lines += inner.lines
                    result.bytes.appendField(field, inner.bytes)
                }
            }
            guard !packed.isEmpty else { continue }
            if field.presence == .repeated {
                result.bytes.appendField(field, packed)
            } else {
                result.bytes += varint(field.number << 3) + packed
            }
        }
        return result
    }

    private static func count(
        of field: Schema.Field,
        _ filling: Filling,
        _ generator: inout SeededGenerator
    ) -> Int {
        switch (field.presence, filling) {
        case (.repeated, .full): return 3
        case (.repeated, .random): return Int.random(in: 0...3, using: &generator)
        case (.implicit, .random):
            // A field with a message type is always optional; a scalar without presence is always written.
            if case .message = field.kind { return Int.random(in: 0...1, using: &generator) }
            return 1
        case (.optional, .random): return Int.random(in: 0...1, using: &generator)
        default: return 1
        }
    }

    private static func number(
        _ field: Schema.Field,
        _ filling: Filling,
        _ generator: inout SeededGenerator
    ) -> UInt64 {
        let greatest: UInt64 =
            switch field.kind {
            case .bool: 1
            case .uint32: UInt64(UInt32.max)
            // Generated code has signed 32-bit numbers for values of enumerations.
            case .enumeration: UInt64(Int32.max)
            default: .max
            }
        switch filling {
        case .full: return greatest - min(greatest - 1, field.number)
        case .zero: return 0
        case .random:
            let shift = UInt64.random(in: 0...63, using: &generator)
            return (generator.next() >> shift) & greatest
        }
    }

    private static func string(
        _ field: Schema.Field,
        _ filling: Filling,
        _ generator: inout SeededGenerator
    ) -> String {
        switch filling {
        case .full: return "\(field.name) é \(field.number)"
        case .zero: return ""
        case .random:
            let characters: [Character] = ["a", "\0", "é", "€", "😀", "\n", "\"", "é"]
            let count = Int.random(in: 0...45, using: &generator)
            return String((0..<count).compactMap { _ in characters.randomElement(using: &generator) })
        }
    }
}

extension [UInt8] {
    fileprivate mutating func appendField(_ field: Schema.Field, _ body: [UInt8]) {
        self += varint(field.number << 3 | 2) + varint(UInt64(body.count)) + body
    }
}

enum MessageTypes {
    static let all: [any ProtobufMessage.Type] =
        frames + [
            Representation.self, FileAttributes.self, Accept.self, PeerStatus.self, BoardStatus.self,
            LoadStatus.self, NamedNumber.self, SourceFailure.self, Location.self, SessionStatus.self,
            DestinationStatus.self, ContentTerms.self, BoardRead.self, ClosedPeer.self, ProcessStatus.self,
        ]

    static let frames: [any WireMessage.Type] = FrameKind.allCases.compactMap(\.message)

    /// The types by the names of their messages in the schema.
    static let named = Dictionary(uniqueKeysWithValues: all.map { (schemaName(of: $0), $0) })

    /// Messages with other names than their types: the short ones collide with generated code of some languages.
    private static let schemaNames = [
        "Write": "WriteRequest", "Load": "LoadRequest", "List": "ListRequest", "Clear": "ClearRequest",
        "Status": "StatusRequest", "Stop": "StopRequest", "Drag": "DragRequest", "Destination": "DestinationRequest",
        "Wait": "WaitRequest", "Move": "PointerUpdate", "Update": "SessionUpdate", "Enter": "SessionEnter",
        "Exit": "SessionExit", "Watch": "WatchRequest", "CreateBoard": "CreateBoardRequest",
    ]

    static func schemaName(of type: any ProtobufMessage.Type) -> String {
        let name = String(describing: type)
        return schemaNames[name] ?? name
    }
}

/// Decodes a message of any type. Malformed bytes must be reported as malformed.
func decoded<Message: ProtobufMessage>(_ type: Message.Type, _ bytes: [UInt8]) throws(Failure) -> any ProtobufMessage {
    try Message(decoding: bytes)
}
