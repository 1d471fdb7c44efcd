/// The progress of a source's handler, or of a drop at its destination. It extends the deadlines of the load or the
/// drop.
package struct Progress: WireMessage {
    package static let kind = FrameKind.progress

    package var completed: UInt64?
    package var total: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, completed)
        bytes.appendField(2, total)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: completed = try field.number64()
        case 2: total = try field.number64()
        default: break
        }
    }
}
