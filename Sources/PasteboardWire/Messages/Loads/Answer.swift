/// Describes the bytes of a load before they arrive. A source may send one, too, for example to announce the size.
///
/// With a descriptor and the flag `last` it is the whole load: the bytes are the first `byteCount` bytes of that file.
package struct Answer: WireMessage {
    package static let kind = FrameKind.answer

    package var handle: UInt64?
    package var item: UInt32?
    /// The type of the bytes, which fits the accept list.
    package var type: String?
    /// The size, if it is known.
    package var byteCount: UInt64?
    /// The number of items in the publication.
    package var itemCount: UInt32?
    package var suggestedName: String?
    /// The path of the source's own file, sent only with its descriptor and if the load welcomes it.
    package var path: String?
    /// The form of the bytes: those of the type itself, or a tar archive of the folder that the representation is.
    package var content: ContentForm?

    /// Whether the bytes are a tar archive of a folder.
    package var isArchive: Bool { content == .folderArchive }

    package init() {}

    package init(_ numbers: AnswerNumbers, type: String, suggestedName: String?) {
        handle = numbers.handle.value
        item = numbers.item
        self.type = type
        byteCount = numbers.byteCount
        itemCount = numbers.itemCount
        self.suggestedName = suggestedName
        content = numbers.content
    }

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "handle", &handle)
        visit(2, "item", &item)
        visit(3, "type", &type)
        visit(4, "byte_count", &byteCount)
        visit(5, "item_count", &itemCount)
        visit(6, "suggested_name", &suggestedName)
        visit(7, "path", &path)
        visit(8, "content", &content)
    }
}

/// The fields of an ``Answer`` that are numbers.
package struct AnswerNumbers: Sendable {
    package var handle: EncodedHandle
    package var item: UInt32
    package var byteCount: UInt64?
    package var itemCount: UInt32
    package var content: ContentForm?

    package init(handle: EncodedHandle, item: UInt32, byteCount: UInt64?, itemCount: UInt32, content: ContentForm?) {
        self.handle = handle
        self.item = item
        self.byteCount = byteCount
        self.itemCount = itemCount
        self.content = content
    }
}

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
        try decode(bytes, range)
    }

    /// Sets the fields of a new value.
    // A method changes the fields where they are stored. The initializer copies all of them at its end.
    @inline(never)
    package mutating func decode(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(Failure) {
        var reader = try FieldReader(bytes, range)
        while try reader.next(in: bytes) {
            switch reader.key {
            case 1 << 3: handle = reader.value
            case 2 << 3: item = reader.value32
            case 3 << 3 | 2: type = try reader.text(in: bytes)
            case 4 << 3: byteCount = reader.value
            case 5 << 3: itemCount = reader.value32
            case 6 << 3 | 2: suggestedName = try reader.text(in: bytes)
            case 7 << 3 | 2: path = try reader.text(in: bytes)
            case 8 << 3: content = ContentForm(rawValue: reader.value32)
            default: try reader.skip(after: 8, in: bytes)
            }
        }
    }

    /// Whether the answer names no type, or this one.
    ///
    /// - Parameter bytes: the bytes that were decoded.
    package func hasType(_ expected: String, in bytes: Span<UInt8>) -> Bool {
        guard let type else { return true }
        return expected.utf8.span.hasSameBytes(as: bytes.extracting(Range(type)))
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
