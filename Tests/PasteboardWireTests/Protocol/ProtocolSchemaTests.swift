import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

@Suite(.pure) struct ProtocolSchemaTests {
    private let schema = ProtocolSchema.shipped

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
