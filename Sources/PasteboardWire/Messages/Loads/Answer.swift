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
