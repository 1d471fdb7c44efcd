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

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "handle", &handle)
        visit(2, "item", &item)
        visit(3, "representation", &representation)
        visit(4, "type", &type)
        visit(5, "credit", &credit)
        visit(6, "maximum_byte_count", &maximumByteCount)
        visit(7, "descriptor_welcome", &descriptorWelcome)
        visit(8, "first_byte_milliseconds", &firstByteMilliseconds)
        visit(9, "in_place_welcome", &inPlaceWelcome)
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
