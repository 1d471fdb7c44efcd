import PasteboardWire
import TestSupport
import Testing

@Suite("Messages", .pure)
struct MessageTests {
    @Test("The schema and the code have the same messages, and every kind of frame except data has one")
    func messagesOfTheSchema() throws {
        #expect(try Set(Schema.shipped.get().messages.keys) == Set(MessageTypes.named.keys))
        let kinds = MessageTypes.frames.map { $0.kind }
        #expect(Set(kinds) == Set(FrameKind.allCases).subtracting([.data]))
        #expect(kinds.count == Set(kinds).count)
    }

    @Test("Every field is decoded under its name and encoded to the same bytes", arguments: try SchemaSample.all(.full))
    func full(sample: SchemaSample) throws {
        let message = try decoded(sample.type, sample.bytes)
        #expect(fieldLines(message) == sample.lines)
        #expect(message.encoded == sample.bytes)
    }

    @Test("A value that is 0 or empty is present, and not absent", arguments: try SchemaSample.all(.zero))
    func zero(sample: SchemaSample) throws {
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

    @Test("A message without fields decodes, and only fields that always have a value are written for it")
    func empty() throws {
        let schema = try Schema.shipped.get()
        for (name, fields) in schema.messages {
            let type = try #require(MessageTypes.named[name])
            let always = fields.filter { field in
                if case .message = field.kind { return false }
                return field.presence == .implicit
            }
            let names = fieldLines(try decoded(type, [])).map { String($0.prefix { $0 != "=" }) }
            #expect(names == always.map { ".\($0.name)" }.sorted(), "\(name)")
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
