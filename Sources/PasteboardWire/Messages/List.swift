/// Opens a list of a board's contents. The answers are `contents`, one `item` for each item, and `end`.
package struct List: WireMessage {
    package static let kind = FrameKind.list

    /// The board's name; `general` when absent.
    package var board: String?
    package var requires: [UInt32] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, board)
        bytes.appendField(15, repeated: requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: board = try field.string(in: bytes)
        case 15: try field.append(to: &requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}
