import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

@Suite(.pure) struct ProtocolSchemaTests {
    private let schema = ProtocolSchema.shipped

    @Test("The names of the fields are those of the schema")
    func fields() throws {
        let expected = try Schema.shipped.get().messages.mapValues { fields in
            Dictionary(uniqueKeysWithValues: fields.map { (UInt32($0.number), $0.schemaName) })
        }
        #expect(schema.messages.mapValues { $0.mapValues(\.name) } == expected)
        #expect(schema.messages["Item"]?[2]?.type == "Representation")
    }

    @Test("Each kind has the message of the table")
    func kinds() {
        for kind in FrameKind.allCases {
            let message = MessageTypes.frames.first { $0.kind == kind }.map(MessageTypes.schemaName)
            #expect(schema.message(of: kind) == message, "\(kind)")
        }
    }

    @Test("The fields that a broker must send are fields of the schema")
    func required() {
        for (message, names) in Array(BrokerAudit.required) + Array(BrokerAudit.requiredWithHandle) {
            let known = Set(schema.messages[message]?.values.map(\.name) ?? [])
            #expect(known.isSuperset(of: names), "\(message)")
        }
    }
}
