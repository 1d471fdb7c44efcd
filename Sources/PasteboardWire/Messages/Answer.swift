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

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, handle)
        bytes.appendField(2, item)
        bytes.appendField(3, type)
        bytes.appendField(4, byteCount)
        bytes.appendField(5, itemCount)
        bytes.appendField(6, suggestedName)
        bytes.appendField(7, path)
        bytes.appendField(8, content)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: handle = try field.number64()
        case 2: item = try field.number32()
        case 3: type = try field.string(in: bytes)
        case 4: byteCount = try field.number64()
        case 5: itemCount = try field.number32()
        case 6: suggestedName = try field.string(in: bytes)
        case 7: path = try field.string(in: bytes)
        case 8: content = try field.enumeration()
        default: break
        }
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
