import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

@Suite("FrameDescription", .pure)
struct FrameDescriptionTests {
    @Test("Every field of every kind is shown", arguments: try SchemaSample.all(.full))
    func fields(sample: SchemaSample) throws {
        guard let type = try sample.type as? any WireMessage.Type else { return }
        let text = Self.text(type.kind, sample.bytes)
        for field in (ProtocolSchema.shipped.messages[sample.message] ?? [:]).values {
            #expect(text.contains("\(field.name): "), "\(text)")
        }
        #expect(text.hasPrefix("\(type.kind) #3") && !text.contains("field ") && !text.contains("malformed"), "\(text)")
    }

    @Test("The values of enumerations have the names of the schema")
    func enumerations() {
        let schema = ProtocolSchema.shipped
        let types: [String: any WireEnumeration.Type] = [
            "Role": Role.self, "Visibility": Visibility.self, "Provision": Provision.self,
            "LoadPolicy": RepresentationPolicy.self, "ContentForm": ContentForm.self,
            "PresentationStyle": PresentationStyle.self, "TypeMatch": Match.self, "Preference": Preference.self,
            "DropOperation": DropOperation.self, "EndReason": EndReason.self,
        ]
        // The other three are the kinds, the features and the error codes.
        #expect(Set(types.keys) == Set(schema.enumerations.keys).subtracting(["FrameKind", "Feature", "ErrorCode"]))
        for (name, type) in types {
            let prefix = name.reduce("") { $0 + ($1.isUppercase && !$0.isEmpty ? "_" : "") + $1.uppercased() } + "_"
            let expected = schema.names(of: name).map { $0.dropFirst(prefix.count).lowercased() }
            #expect(type.names == expected, "\(name)")
            #expect(type.names.count == Int(type.highest) + 1, "\(name)")
        }
    }

    @Test("A frame is shown with its kind, its stream, its fields, its flags and its descriptors")
    func wholeLines() {
        var load = Load()
        load.board = "general"
        load.item = 0
        load.accepts = [Accept(), Accept()]
        load.accepts[0].type = "public.png"
        load.accepts[0].match = .exact
        load.accepts[1].match = .any
        load.descriptorWelcome = true
        load.requires = [1, 99]
        #expect(
            Self.text(.load, load.encoded)
                == "load #3 board: \"general\", item: 0, accepts: [{type: \"public.png\", match: exact}, {match: any}], "
                + "descriptor_welcome: true, requires: [condition, 99]"
        )
        var committed = Committed()
        committed.changeCount = 7
        #expect(Self.text(.committed, committed.encoded) == "committed #3 change_count: 7")
        #expect(Self.text(.cancel, []) == "cancel #3")
        var answer = Answer()
        answer.byteCount = 5
        let passed = FrameHeader(.answer, stream: 1 << 32 | 2, length: 2, flags: .last, descriptorCount: 1)
        #expect(
            FrameDescription(passed, payload: answer.encoded.span).text
                == "answer #4294967298 byte_count: 5, last +1 descriptor"
        )
        let failure = Failure(.sourceGone, "the source\u{1B}[2J \"x\" ended", source: SourceFailure(code: -2))
        #expect(
            Self.text(.error, failure.encoded)
                == "error #3 code: source-gone, text: \"the source^[[2J \\\"x\\\" ended\", source: {code: -2}"
        )
    }

    @Test("Signed numbers, names of files and unknown values are shown as what they are")
    func values() {
        var item = Item()
        item.representations = [Representation()]
        item.representations[0].provision = Provision(rawValue: 77)
        var file = FileAttributes()
        file.name = Array("a\u{7}".utf8)
        file.modifiedSeconds = -1
        item.representations[0].file = file
        #expect(
            Self.text(.item, item.encoded)
                == "item #3 representations: [{provision: 77, file: {name: \"a^G\", modified_seconds: -1}}]"
        )
    }

    @Test("The contents of data, the tokens of a hello and the bytes of an item are never shown")
    func secrets() throws {
        let secret = "hidden-0123456789"
        var hello = Hello()
        hello.label = "program"
        hello.groups = [secret, secret]
        #expect(Self.text(.hello, hello.encoded) == "hello #3 label: \"program\", groups: 2 tokens")
        var item = Item()
        item.teamData = Array(secret.utf8)
        #expect(Self.text(.item, item.encoded) == "item #3 team_data: 17 bytes")
        #expect(Self.text(.data, Array(secret.utf8)) == "data #3 17 bytes")
        let digits = secret.utf8.prefix(3).map { String($0, radix: 16) }.joined(separator: " ")
        for (kind, whole) in [(FrameKind.hello, hello.encoded), (.item, item.encoded)] {
            for count in whole.indices {
                let text = Self.text(kind, Array(whole[..<count]))
                #expect(!text.contains("hidden") && !text.contains(digits), "\(text)")
            }
            // Other bytes in the place of a length.
            for index in whole.indices {
                var bytes = whole
                bytes[index] ^= 0x55
                let text = Self.text(kind, bytes)
                #expect(!text.contains("0123456789") && !text.contains(digits), "\(text)")
            }
        }
    }

    @Test("Unknown kinds, fields, flags and versions are shown with their numbers")
    func unknown() {
        var header = FrameHeader(.data, stream: 5, length: 3, flags: [.mustUnderstand, FrameFlags(rawValue: 0x40)])
        header.rawKind = 99
        header.version = 2
        #expect(
            FrameDescription(header, payload: [1, 2, 3].span).text
                == "kind 99 #5 3 bytes, must understand, flags 64, version 2"
        )
        // Field 20 as a number, as bytes, and as a fixed field, beside field 1 and within field 9 of a representation.
        let fields: [UInt8] = [0xA0, 1, 7, 0xA2, 1, 2, 0, 0, 0xA5, 1, 0, 0, 0, 0]
        var item: [UInt8] = [0x0A, 1, 0x61] + fields
        let inner: [UInt8] = [0x10, 3] + fields
        let representation: [UInt8] = [0x4A, UInt8(inner.count)] + inner
        item += [0x12, UInt8(representation.count)] + representation
        let shown = "field 20: 7, field 20: 2 bytes, field 20: a fixed field"
        #expect(
            Self.text(.item, item)
                == "item #3 suggested_name: \"a\", \(shown), representations: [{file: {mode: 3, \(shown)}}]"
        )
    }

    @Test("A malformed message is shown as such, with at most 64 bytes of it")
    func malformed() {
        let short = Self.text(.credit, [0x08])
        #expect(short == "credit #3 malformed (a message does not decode: a number is malformed), 1 byte: 08")
        let long = Self.text(.load, [UInt8](repeating: 0xFF, count: 65))
        #expect(long.hasSuffix("65 bytes:" + String(repeating: " ff", count: 64) + " …"), "\(long)")
        // No field alone breaks the limit of the list.
        var many: [UInt8] = []
        for _ in 0...WireLimits.features { many += [0x7A, 1, 1] }
        #expect(Self.text(.list, many).hasPrefix("list #3 malformed ("))
    }

    @Test("Random bytes are described in every kind", arguments: Seeds.fixed(1))
    func randomBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let bytes = generator.bytes(upTo: 80)
            for kind in FrameKind.allCases {
                let text = Self.text(kind, bytes)
                try #require(!text.unicodeScalars.contains { $0.isControl })
            }
        }
    }

    private static func text(_ kind: FrameKind, _ payload: [UInt8]) -> String {
        FrameDescription(FrameHeader(kind, stream: 3, length: payload.count), payload: payload.span).text
    }
}

@Suite("FrameReader", .pure)
struct FrameReaderTests {
    @Test("The frames are the same however the bytes arrive")
    func pieces() throws {
        var encoder = FrameMemory()
        var hello = Hello()
        hello.label = "program"
        encoder.append(hello, stream: 0)
        encoder.append(Load(), stream: 1)
        encoder.appendData([UInt8](repeating: 1, count: 100), stream: 1, flags: .last)
        encoder.append(Cancel(), stream: 3)
        let expected = [
            "hello #0 label: \"program\"", "load #1", "data #1 100 bytes, last", "cancel #3",
        ]
        for size in [1, 7, 16, 17, 50, 1_000] {
            var reader = FrameReader()
            var texts: [String] = []
            var waiting: [UInt8] = []
            for start in stride(from: 0, to: encoder.bytes.count, by: size) {
                waiting += encoder.bytes[start..<min(start + size, encoder.bytes.count)]
                var offset = 0
                while let frame = try reader.next(in: waiting.span, at: &offset) {
                    texts.append(frame.text)
                }
                waiting.removeFirst(offset)
            }
            #expect(texts == expected, "in parts of \(size)")
            #expect(waiting.isEmpty)
        }
    }

    @Test("After bytes that are no frame, everything is consumed without a result")
    func stops() throws {
        var reader = FrameReader()
        var encoder = FrameMemory()
        encoder.append(Cancel(), stream: 3)
        let bytes = encoder.bytes + [UInt8](repeating: 0xFF, count: 40)
        var offset = 0
        #expect(try reader.next(in: bytes.span, at: &offset)?.text == "cancel #3")
        #expect(throws: Failure.self) { try reader.next(in: bytes.span, at: &offset) }
        #expect(try reader.next(in: bytes.span, at: &offset) == nil)
        #expect(offset == bytes.count)
    }
}
