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

    package init() {}

    package init(decoding bytes: Span<UInt8>, range: Range<Int>) throws(Failure) {
        let end = range.upperBound
        var offset = range.lowerBound
        while offset < end {
            let key = try Protobuf.varint(in: bytes, at: &offset, end: end)
            switch key {
            case 1 << 3: handle = try Protobuf.varint(in: bytes, at: &offset, end: end)
            case 2 << 3: item = try Protobuf.varint32(in: bytes, at: &offset, end: end)
            case 3 << 3: representation = try Protobuf.varint32(in: bytes, at: &offset, end: end)
            case 4 << 3 | 2: type = try Protobuf.text(4, in: bytes, at: &offset, end: end)
            case 5 << 3: credit = try Protobuf.varint(in: bytes, at: &offset, end: end)
            case 6 << 3: _ = try Protobuf.varint(in: bytes, at: &offset, end: end)
            case 7 << 3: descriptorWelcome = try Protobuf.varint(in: bytes, at: &offset, end: end) != 0
            case 8 << 3: firstByteMilliseconds = try Protobuf.varint(in: bytes, at: &offset, end: end)
            case 9 << 3: inPlaceWelcome = try Protobuf.varint(in: bytes, at: &offset, end: end) != 0
            default: offset = try Protobuf.skip(key, known: 9, in: bytes, at: offset, end: end)
            }
        }
    }

    /// The type that is asked for.
    ///
    /// - Parameter bytes: the bytes that were decoded.
    package func type(in bytes: Span<UInt8>) -> String {
        String(text: type, in: bytes)
    }
}
