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
        bytes.appendField(1, handle)
        bytes.appendField(2, item)
        bytes.appendField(3, representation)
        bytes.appendField(4, type)
        bytes.appendField(5, credit)
        bytes.appendField(6, maximumByteCount)
        bytes.appendField(7, descriptorWelcome)
        bytes.appendField(8, firstByteMilliseconds)
        bytes.appendField(9, inPlaceWelcome)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: handle = try field.number64()
        case 2: item = try field.number32()
        case 3: representation = try field.number32()
        case 4: type = try field.string(in: bytes)
        case 5: credit = try field.number64()
        case 6: maximumByteCount = try field.number64()
        case 7: descriptorWelcome = try field.bool()
        case 8: firstByteMilliseconds = try field.number64()
        case 9: inPlaceWelcome = try field.bool()
        default: break
        }
    }
}

/// The fields of an ``Ask`` that are numbers.
@usableFromInline package struct AskNumbers: BitwiseCopyable, Sendable {
    @usableFromInline package var handle: EncodedHandle
    @usableFromInline package var item: UInt32
    @usableFromInline package var representation: UInt32
    @usableFromInline package var credit: UInt64
    @usableFromInline package var maximumByteCount: UInt64?
    @usableFromInline package var descriptorWelcome: Bool
    @usableFromInline package var firstByteMilliseconds: UInt64
    @usableFromInline package var inPlaceWelcome: Bool

    @inlinable
    package init(
        handle: EncodedHandle,
        item: UInt32,
        representation: UInt32,
        credit: UInt64,
        maximumByteCount: UInt64?,
        descriptorWelcome: Bool,
        firstByteMilliseconds: UInt64,
        inPlaceWelcome: Bool
    ) {
        self.handle = handle
        self.item = item
        self.representation = representation
        self.credit = credit
        self.maximumByteCount = maximumByteCount
        self.descriptorWelcome = descriptorWelcome
        self.firstByteMilliseconds = firstByteMilliseconds
        self.inPlaceWelcome = inPlaceWelcome
    }
}
