/// What a load gives, ahead of its bytes. A source may send one too, to say a size.
///
/// With a descriptor and the flag `last` it is the whole load: the bytes are the first `byteCount` of that file.
package struct Answer: WireMessage {
    package static let kind = FrameKind.answer

    package var handle: UInt64?
    package var item: UInt32?
    /// The type that is given: one that met the accept list.
    package var type: String?
    /// The size, when it is known.
    package var byteCount: UInt64?
    /// How many items the publication has.
    package var itemCount: UInt32?
    package var suggestedName: String?
    /// Where the source's own file lies, given only with its descriptor and if that was welcome.
    package var path: String?
    /// 0 the bytes of the representation, 1 a tar archive of the folder that it is.
    package var content: ContentForm?

    /// Whether the bytes are a tar archive of the folder that the representation is.
    package var isArchive: Bool { self.content == .folderArchive }

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, self.handle)
        bytes.appendField(2, self.item)
        bytes.appendField(3, self.type)
        bytes.appendField(4, self.byteCount)
        bytes.appendField(5, self.itemCount)
        bytes.appendField(6, self.suggestedName)
        bytes.appendField(7, self.path)
        bytes.appendField(8, self.content)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: self.handle = try field.number64()
        case 2: self.item = try field.number32()
        case 3: self.type = try field.string(in: bytes)
        case 4: self.byteCount = try field.number64()
        case 5: self.itemCount = try field.number32()
        case 6: self.suggestedName = try field.string(in: bytes)
        case 7: self.path = try field.string(in: bytes)
        case 8: self.content = try field.enumeration()
        default: break
        }
    }
}
