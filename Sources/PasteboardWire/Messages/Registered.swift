/// Reports that the destination, the watch or the board exists.
package struct Registered: WireMessage {
    package static let kind = FrameKind.registered

    /// The name of a board that the broker created.
    package var name: String?
    /// The change count of a watched board at this time.
    package var changeCount: UInt64?
    /// The epoch of `changeCount`.
    package var epoch: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, name)
        bytes.appendField(2, changeCount)
        bytes.appendField(3, epoch)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: name = try field.string(in: bytes)
        case 2: changeCount = try field.number64()
        case 3: epoch = try field.number64()
        default: break
        }
    }
}
