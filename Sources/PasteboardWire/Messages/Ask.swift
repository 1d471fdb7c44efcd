/// Opens a stream from the broker to a source, which is to produce the bytes of a representation now.
package struct Ask: WireMessage {
    package static let kind = FrameKind.ask

    /// The handle of the publication, as in `Committed`.
    package var handle: UInt64?
    package var item: UInt32?
    /// The index of the representation in the item, from 0.
    package var representation: UInt32?
    package var type: String = ""
    /// The offset up to which the source may send at once.
    package var credit: UInt64?
    package var maximumByteCount: UInt64?
    package var descriptorWelcome: Bool?
    /// The source's time for the first byte or a progress frame.
    package var firstByteMilliseconds: UInt64?
    /// Whether the answer may name the path of the file that it passes.
    package var inPlaceWelcome: Bool?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, self.handle)
        bytes.appendField(2, self.item)
        bytes.appendField(3, self.representation)
        bytes.appendField(4, self.type)
        bytes.appendField(5, self.credit)
        bytes.appendField(6, self.maximumByteCount)
        bytes.appendField(7, self.descriptorWelcome)
        bytes.appendField(8, self.firstByteMilliseconds)
        bytes.appendField(9, self.inPlaceWelcome)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: self.handle = try field.number64()
        case 2: self.item = try field.number32()
        case 3: self.representation = try field.number32()
        case 4: self.type = try field.string(in: bytes)
        case 5: self.credit = try field.number64()
        case 6: self.maximumByteCount = try field.number64()
        case 7: self.descriptorWelcome = try field.bool()
        case 8: self.firstByteMilliseconds = try field.number64()
        case 9: self.inPlaceWelcome = try field.bool()
        default: break
        }
    }
}
