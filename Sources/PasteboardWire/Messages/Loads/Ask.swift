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

/// The fields of an ask that its source needs, read in place: numbers, and the range of the type.
///
/// Every payload that is an ``Ask`` has these fields, and any other is refused with the same error.
package struct AskFields: Sendable {
    package var handle: UInt64 = 0
    package var item: UInt32 = 0
    package var representation: UInt32 = 0
    /// The range of the type in the bytes that were decoded. They are UTF-8.
    var type: Range<UInt32> = 0..<0
    package var credit: UInt64 = 0
    package var descriptorWelcome = false
    package var inPlaceWelcome = false
    package var firstByteMilliseconds: UInt64?

    package init(decoding bytes: Span<UInt8>, range: Range<Int>) throws(Failure) {
        var reader = try FieldReader(bytes, range)
        while try reader.next(in: bytes) {
            switch reader.key {
            case 1 << 3: handle = reader.value
            case 2 << 3: item = reader.value32
            case 3 << 3: representation = reader.value32
            case 4 << 3 | 2: type = try reader.text(in: bytes)
            case 5 << 3: credit = reader.value
            case 6 << 3: break
            case 7 << 3: descriptorWelcome = reader.value != 0
            case 8 << 3: firstByteMilliseconds = reader.value
            case 9 << 3: inPlaceWelcome = reader.value != 0
            default: try reader.skip(after: 9, in: bytes)
            }
        }
    }

    /// Returns the bytes of the type, to which the fields then refer instead of the decoded ones.
    ///
    /// - Parameter bytes: the bytes that were decoded.
    package mutating func detachType(from bytes: Span<UInt8>) -> [UInt8] {
        let copy = Array(self.type(in: bytes).utf8)
        type = 0..<UInt32(copy.count)
        return copy
    }

    /// The type that is asked for.
    ///
    /// - Parameter bytes: the bytes that were decoded.
    package func type(in bytes: Span<UInt8>) -> String {
        String(text: type, in: bytes)
    }
}
