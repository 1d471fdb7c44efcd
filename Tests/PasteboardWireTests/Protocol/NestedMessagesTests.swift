import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

@Suite(.pure) struct NestedMessagesTests {
    @Test("The table contains exactly the fields of the schema that are messages")
    func fields() throws {
        let nested = try Schema.shipped.get().messages.mapValues { fields in
            fields.reduce(into: [UInt32: String]()) { result, field in
                if case .message(let name) = field.kind { result[UInt32(field.number)] = name }
            }
        }
        #expect(NestedMessages.fields == nested.filter { !$0.value.isEmpty })
    }

    @Test("Each kind whose message has such fields is in the table")
    func kinds() throws {
        var kinds: [FrameKind: String] = [:]
        for row in try Repository.text(Repository.frameKinds).split(separator: "\n").dropFirst() {
            let cells = row.split(separator: "\t").map(String.init)
            guard NestedMessages.fields[cells[2]] != nil else { continue }
            kinds[try #require(UInt8(cells[0]).flatMap { FrameKind(rawValue: $0) })] = cells[2]
        }
        #expect(NestedMessages.kinds == kinds)
    }
}
