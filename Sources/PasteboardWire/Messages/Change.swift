/// Reports the newest state of a watched board, without bytes.
package struct Change: WireMessage {
    package static let kind = FrameKind.change

    package var changeCount: UInt64?
    package var epoch: UInt64?
    /// The publication; none if the board is empty.
    package var handle: UInt64?
    package var itemCount: UInt32?
    package var ownerLabel: String?
    package var ownerProcess: UInt32?
    /// The types of all items that the client may see, each once.
    package var types: [String] = []
    package var terms: ContentTerms?
    /// As in `contents`.
    package var version: UInt64?
    /// The number of changes before this one that were not reported; none if it is not known.
    package var missed: UInt64?
    /// The client that has cleared the board, if the board is empty for that reason.
    package var clearerProcess: UInt32?
    package var clearerLabel: String?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, changeCount)
        bytes.appendField(2, epoch)
        bytes.appendField(3, handle)
        bytes.appendField(4, itemCount)
        bytes.appendField(5, ownerLabel)
        bytes.appendField(6, ownerProcess)
        bytes.appendField(7, repeated: types)
        bytes.appendField(8, terms)
        bytes.appendField(9, version)
        bytes.appendField(10, missed)
        bytes.appendField(11, clearerProcess)
        bytes.appendField(12, clearerLabel)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: changeCount = try field.number64()
        case 2: epoch = try field.number64()
        case 3: handle = try field.number64()
        case 4: itemCount = try field.number32()
        case 5: ownerLabel = try field.string(in: bytes)
        case 6: ownerProcess = try field.number32()
        case 7: try field.append(to: &types, limit: WireLimits.representations, in: bytes)
        case 8: try field.merge(into: &terms, in: bytes)
        case 9: version = try field.number64()
        case 10: missed = try field.number64()
        case 11: clearerProcess = try field.number32()
        case 12: clearerLabel = try field.string(in: bytes)
        default: break
        }
    }
}
