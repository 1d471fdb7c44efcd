/// The fields of an answer, read in place: numbers, and ranges of the texts. Nothing is allocated or copied.
///
/// Every payload that is an ``Answer`` has these fields, and any other is refused with the same error.
package struct AnswerFields: Sendable {
    package var handle: UInt64?
    package var byteCount: UInt64?
    package var item: UInt32?
    package var itemCount: UInt32?
    package var content: ContentForm?
    // Ranges of UTF-8 in the bytes that were decoded.
    var type: Range<UInt32>?
    var suggestedName: Range<UInt32>?
    var path: Range<UInt32>?

    package init() {}

    package init(decoding bytes: Span<UInt8>, range: Range<Int>) throws(Failure) {
        let end = range.upperBound
        var offset = range.lowerBound
        while offset < end {
            let key = try Protobuf.varint(in: bytes, at: &offset, end: end)
            switch key {
            case 1 << 3: handle = try Protobuf.varint(in: bytes, at: &offset, end: end)
            case 2 << 3: item = try Protobuf.varint32(in: bytes, at: &offset, end: end)
            case 3 << 3 | 2: type = try Protobuf.text(3, in: bytes, at: &offset, end: end)
            case 4 << 3: byteCount = try Protobuf.varint(in: bytes, at: &offset, end: end)
            case 5 << 3: itemCount = try Protobuf.varint32(in: bytes, at: &offset, end: end)
            case 6 << 3 | 2: suggestedName = try Protobuf.text(6, in: bytes, at: &offset, end: end)
            case 7 << 3 | 2: path = try Protobuf.text(7, in: bytes, at: &offset, end: end)
            case 8 << 3: content = ContentForm(rawValue: try Protobuf.varint32(in: bytes, at: &offset, end: end))
            default: offset = try Protobuf.skip(key, known: 8, in: bytes, at: offset, end: end)
            }
        }
    }
}

extension Answer {
    /// Copies the fields of an answer that was read in place.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that were decoded.
    ///   - expected: the type that was requested. If it is the type of the answer, its string is used for it.
    package init(_ fields: AnswerFields, in bytes: Span<UInt8>, expecting expected: String? = nil) {
        handle = fields.handle
        item = fields.item
        byteCount = fields.byteCount
        itemCount = fields.itemCount
        content = fields.content
        if let range = fields.type {
            if let expected, expected.utf8.span.hasSameBytes(as: bytes.extracting(Range(range))) {
                type = expected
            } else {
                type = String(text: range, in: bytes)
            }
        }
        suggestedName = fields.suggestedName.map { String(text: $0, in: bytes) }
        path = fields.path.map { String(text: $0, in: bytes) }
    }
}
