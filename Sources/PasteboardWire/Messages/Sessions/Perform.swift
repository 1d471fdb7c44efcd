/// Reports that the session was dropped here. The destination may begin loads until it sends `performed`.
package struct Perform: WireMessage {
    package static let kind = FrameKind.perform

    package var operation: DropOperation?
    package var location: Location?
    package var version: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, operation)
        bytes.appendField(2, location)
        bytes.appendField(3, version)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: operation = try field.enumeration()
        case 2: try field.merge(into: &location, in: bytes)
        case 3: version = try field.number64()
        default: break
        }
    }
}
