/// Reports that a write or clear took place.
package struct Committed: WireMessage {
    package static let kind = FrameKind.committed

    package var changeCount: UInt64?
    package var epoch: UInt64?
    /// The publication's handle; none after a clear.
    package var handle: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, changeCount)
        bytes.appendField(2, epoch)
        bytes.appendField(3, handle)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: changeCount = try field.number64()
        case 2: epoch = try field.number64()
        case 3: handle = try field.number64()
        default: break
        }
    }
}
