import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

@Suite("Messages", .pure)
struct MessageTests {
    @Test("The schema and the code have the same messages, and every kind of frame except data has one")
    func messagesOfTheSchema() {
        #expect(Set(ProtocolSchema.shipped.messages.keys) == Set(MessageTypes.named.keys))
        let kinds = MessageTypes.frames.map { $0.kind }
        #expect(Set(kinds) == Set(FrameKind.allCases).subtracting([.data]))
        #expect(kinds.count == Set(kinds).count)
    }

    @Test("Every field has the number, the name and the type of the schema")
    func fields() {
        for type in MessageTypes.all {
            let name = MessageTypes.schemaName(of: type)
            #expect(DeclaredFields.all(of: type) == ProtocolSchema.shipped.messages[name], "\(name)")
        }
    }

    @Test(
        "Every field is decoded under its name and encoded to the same bytes, even if it is 0 or empty",
        arguments: try SchemaSample.all(.full) + SchemaSample.all(.zero)
    )
    func full(sample: SchemaSample) throws {
        let message = try decoded(sample.type, sample.bytes)
        #expect(fieldLines(message) == sample.lines)
        #expect(message.encoded == sample.bytes)
    }

    @Test("Random messages are encoded and decoded without change", arguments: Seeds.fixed(1))
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            for sample in try SchemaSample.all(.random, using: &generator) {
                let message = try decoded(sample.type, sample.bytes)
                try #require(fieldLines(message) == sample.lines, "\(sample.message)")
                try #require(message.encoded == sample.bytes, "\(sample.message)")
            }
        }
    }

    @Test("The largest item of a write fits into a frame when a list contains all of it")
    func greatestItem() throws {
        var item = Item()
        item.suggestedName = String(repeating: "n", count: WireLimits.name)
        item.representations = (0..<WireLimits.representations).map { _ in Representation() }
        let filled = item.encoded.count
        item.representations[0].supertypes = [String(repeating: "t", count: WireLimits.itemLength - filled - 8)]
        #expect((WireLimits.itemLength - 16...WireLimits.itemLength).contains(item.encoded.count))
        for index in item.representations.indices {
            item.representations[index].visibility = Visibility(rawValue: .max)
            item.representations[index].byteCount = .max
            item.representations[index].provision = Provision(rawValue: .max)
        }
        #expect(item.encoded.count <= WireLimits.controlLength)
    }

    @Test("A message truncated at any position throws or decodes", arguments: try SchemaSample.all(.full))
    func truncated(sample: SchemaSample) throws {
        for count in 0..<sample.bytes.count {
            try requireHarmless(Array(sample.bytes.prefix(count)), as: sample.type)
        }
    }

    @Test("A message with any one bit flipped throws or decodes", arguments: try SchemaSample.all(.full))
    func flipped(sample: SchemaSample) throws {
        var bytes = sample.bytes
        for index in bytes.indices {
            for bit in 0..<8 {
                bytes[index] ^= 1 << UInt8(bit)
                try requireHarmless(bytes, as: sample.type)
                bytes[index] ^= 1 << UInt8(bit)
            }
        }
    }

    @Test("Random bytes are refused or decode in every decoder", .tags(.f20), arguments: Seeds.fixed(1))
    func randomBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let bytes = generator.bytes(upTo: 80)
            for type in MessageTypes.all {
                try requireHarmless(bytes, as: type)
            }
        }
    }

    /// Requires that a decoded message is equal after it is encoded and decoded again, and that a failed decoding has
    /// one of two error codes.
    private func requireHarmless<Message: ProtobufMessage>(_ bytes: [UInt8], as type: Message.Type) throws {
        let message: Message
        do throws(Failure) {
            message = try Message(decoding: bytes)
        } catch {
            try #require([.invalidArgument, .limitExceeded].contains(error.code), "\(type): \(bytes)")
            return
        }
        try #require(try Message(decoding: message.encoded) == message, "\(type): \(bytes)")
    }
}

/// The fields of a message as the schema declares them.
private struct DeclaredFields: FieldVisitor {
    private var fields: [UInt32: ProtocolSchema.Field] = [:]

    static func all<Message: ProtobufMessage>(of type: Message.Type) -> [UInt32: ProtocolSchema.Field] {
        var (message, declared) = (Message(), Self())
        message.fields(&declared)
        return declared.fields
    }

    mutating func callAsFunction<Value: WireValue>(
        _ number: UInt32,
        _ name: StaticString,
        _ value: inout Value,
        most: Int
    ) {
        let words = "\(Value.self)".split { "<>".contains($0) }.map(String.init)
        let isBytes = words.suffix(2) == ["Array", "UInt8"]
        let type = isBytes ? "bytes" : Self.schemaName(of: words.last ?? "", in: "\(name)")
        let labels = ["Optional": MessageTypes.named[type] == nil ? "optional" : "", "Array": "repeated"]
        fields[number] = ProtocolSchema.Field(label: labels[words[0]] ?? "", name: "\(name)", type: type)
    }

    private static func schemaName(of type: String, in field: String) -> String {
        switch type {
        case "UInt32" where field == "features" || field == "requires": "Feature"
        case "UInt32", "UInt64", "Int64", "Bool", "String": type.lowercased()
        case "FileOptions": "uint32"
        case "RepresentationPolicy": "LoadPolicy"
        case "Match": "TypeMatch"
        default: MessageTypes.schemaNames[type] ?? type
        }
    }
}
