import PasteboardWire
import ProtocolVectors
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

    init(_ message: String, _ filling: Filling, using generator: inout SeededGenerator) throws {
        self.message = message
        (bytes, lines) = try Self.build(message, at: "", filling, &generator)
        lines.sort()
    }

    /// One sample of every message, in the order of their names.
    static func all(_ filling: Filling, using generator: inout SeededGenerator) throws -> [Self] {
        try ProtocolSchema.shipped.messages.keys.sorted().map { try Self($0, filling, using: &generator) }
    }

    static func all(_ filling: Filling) throws -> [Self] {
        var generator = SeededGenerator(seed: 1)
        return try all(filling, using: &generator)
    }

    private static func build(
        _ message: String,
        at path: String,
        _ filling: Filling,
        _ generator: inout SeededGenerator
    ) throws -> (bytes: [UInt8], lines: [String]) {
        let fields = try #require(ProtocolSchema.shipped.messages[message])
        var result: (bytes: [UInt8], lines: [String]) = ([], path.isEmpty ? [] : ["\(path)={}"])
        for (number, field) in fields.sorted(by: { $0.key < $1.key }) {
            var packed: [UInt8] = []
            for index in 0..<Self.count(of: field, filling, &generator) {
                let place = "\(path).\(field.name)" + (field.label == "repeated" ? "[\(index)]" : "")
                switch field.type {
                case "string":
                    let value = Self.string("\(field.name) é \(number)", filling, &generator)
                    result.lines.append(FieldLine.string(value, at: place))
                    result.bytes.appendField(number, Array(value.utf8))
                case "bytes":
                    let value = Self.string("\(field.name) é \(number)", filling, &generator).utf8.reversed()
                    result.lines.append(FieldLine.bytes(Array(value), at: place))
                    result.bytes.appendField(number, Array(value))
                case let name where ProtocolSchema.shipped.messages[name] != nil:
                    let inner = try Self.build(name, at: place, filling, &generator)
                    result.lines += inner.lines
                    result.bytes.appendField(number, inner.bytes)
                default:
                    let value = Self.number(UInt64(number), field.type, filling, &generator)
                    result.lines.append("\(place)=\(field.type == "bool" ? "\(value != 0)" : "\(value)")")
                    packed += varint(value)
                }
            }
            guard !packed.isEmpty else { continue }
            if field.label == "repeated" {
                result.bytes.appendField(number, packed)
            } else {
                result.bytes += varint(UInt64(number) << 3) + packed
            }
        }
        return result
    }

    private static func count(
        of field: ProtocolSchema.Field,
        _ filling: Filling,
        _ generator: inout SeededGenerator
    ) -> Int {
        switch (field.label, filling) {
        case ("repeated", .full): 3
        case ("repeated", .random): Int.random(in: 0...3, using: &generator)
        // A field with a message type is always optional; a scalar without the label is always written.
        case (let label, .random) where label == "optional" || ProtocolSchema.shipped.messages[field.type] != nil:
            Int.random(in: 0...1, using: &generator)
        default: 1
        }
    }

    private static func number(
        _ number: UInt64,
        _ type: String,
        _ filling: Filling,
        _ generator: inout SeededGenerator
    ) -> UInt64 {
        let greatest: UInt64 =
            switch type {
            case "bool": 1
            case "uint32": UInt64(UInt32.max)
            case "uint64", "int64": .max
            // Generated code has signed 32-bit numbers for values of enumerations.
            default: UInt64(Int32.max)
            }
        switch filling {
        case .full: return greatest - min(greatest - 1, number)
        case .zero: return 0
        case .random:
            let shift = UInt64.random(in: 0...63, using: &generator)
            return (generator.next() >> shift) & greatest
        }
    }

    private static func string(_ full: String, _ filling: Filling, _ generator: inout SeededGenerator) -> String {
        switch filling {
        case .full: return full
        case .zero: return ""
        case .random:
            let characters: [Character] = ["a", "\0", "é", "€", "😀", "\n", "\"", "é"]
            let count = Int.random(in: 0...45, using: &generator)
            return String((0..<count).compactMap { _ in characters.randomElement(using: &generator) })
        }
    }
}

extension [UInt8] {
    fileprivate mutating func appendField(_ number: UInt32, _ body: [UInt8]) {
        self += varint(UInt64(number) << 3 | 2) + varint(UInt64(body.count)) + body
    }
}

extension ProtocolSchema {
    /// The names of an enumeration's values, in the order of their numbers.
    func names(of enumeration: String) -> [String] {
        (enumerations[enumeration] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    }
}

enum MessageTypes {
    static let all: [any ProtobufMessage.Type] =
        frames + [
            Representation.self, FileAttributes.self, Accept.self, PeerStatus.self, BoardStatus.self,
            LoadStatus.self, NamedNumber.self, SourceFailure.self, Location.self, SessionStatus.self,
            DestinationStatus.self, ContentTerms.self, ClosedPeer.self, ProcessStatus.self,
            Origin.self,
        ]

    static let frames: [any WireMessage.Type] = FrameKind.allCases.compactMap(\.message)

    /// The types by the names of their messages in the schema.
    static let named = Dictionary(uniqueKeysWithValues: all.map { (schemaName(of: $0), $0) })

    /// Messages with other names than their types: the short ones collide with generated code of some languages.
    static let schemaNames = [
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
