/// Opens a watch of a board. The answer is `registered`, then a `change` for each change, as far as credit allows.
package struct Watch: WireMessage {
    package static let kind = FrameKind.watch

    /// The board's name; `general` when absent.
    package var board: String?
    /// The last change count that the client knows. If the board has another one, the first `change` comes at once.
    package var sinceChangeCount: UInt64?
    /// The epoch of `sinceChangeCount`.
    package var sinceEpoch: UInt64?
    /// The number of changes, from the start of the stream, that may be sent without further credit.
    package var credit: UInt64?
    package var requires: [UInt32] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, board)
        bytes.appendField(2, sinceChangeCount)
        bytes.appendField(3, sinceEpoch)
        bytes.appendField(4, credit)
        bytes.appendField(15, repeated: requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: board = try field.string(in: bytes)
        case 2: sinceChangeCount = try field.number64()
        case 3: sinceEpoch = try field.number64()
        case 4: credit = try field.number64()
        case 15: try field.append(to: &requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}
