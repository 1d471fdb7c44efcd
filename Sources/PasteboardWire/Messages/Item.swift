package import TypeIdentifiers

/// One item: the promised and kept representations in a write, or the available ones in the answer to a list.
package struct Item: WireMessage {
    package static let kind = FrameKind.item

    /// A base name, without directory.
    package var suggestedName: String?
    /// The representations in the order of fidelity, best first.
    package var representations: [Representation] = []
    /// The preferred size of the item on a screen, in thousandths of a point.
    package var presentationWidth: UInt64?
    package var presentationHeight: UInt64?
    package var presentationStyle: PresentationStyle?
    /// A few bytes that this user's programs on this machine may read without a load.
    package var teamData: [UInt8]?
    /// The item's name for people to read; no file is named after it.
    package var title: String?
    package var requires: [UInt32] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, suggestedName)
        bytes.appendField(2, repeated: representations)
        bytes.appendField(3, presentationWidth)
        bytes.appendField(4, presentationHeight)
        bytes.appendField(5, presentationStyle)
        bytes.appendField(6, teamData)
        bytes.appendField(7, title)
        bytes.appendField(15, repeated: requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: suggestedName = try field.string(in: bytes)
        case 2: try field.append(to: &representations, limit: WireLimits.representations, in: bytes)
        case 3: presentationWidth = try field.number64()
        case 4: presentationHeight = try field.number64()
        case 5: presentationStyle = try field.enumeration()
        case 6: teamData = try field.bytes(in: bytes, limit: WireLimits.teamData)
        case 7: title = try field.string(in: bytes, limit: WireLimits.title)
        case 15: try field.append(to: &requires, limit: WireLimits.features, in: bytes)
        default: break
        }
    }
}

/// One type in which an item can be loaded.
package struct Representation: ProtobufMessage {
    package var type: String = ""
    /// The supertype closure of the type, if it is not a type of the table.
    package var supertypes: [String] = []
    package var visibility: Visibility?
    /// The size in bytes, if it is known. For kept bytes, the number of bytes that follow.
    package var byteCount: UInt64?
    package var provision: Provision?
    package var policy: RepresentationPolicy?
    /// The source's timeout for the first byte, instead of the broker's default.
    package var firstByteMilliseconds: UInt64?
    package var fileOptions: FileOptions?
    /// The name, mode and time of the file whose contents these bytes are; nil if they are not from a file.
    package var file: FileAttributes?
    /// The form of kept bytes.
    package var content: ContentForm?

    package init() {}

    /// A representation of `type`, with the supertypes that other programs cannot look up.
    ///
    /// A type of the table is published without supertypes: every program has the table, the message stays short, and
    /// the broker need not store and search a separate closure for each representation.
    package init(of type: UniformType) {
        self.type = type.identifier
        supertypes = Array(type.publishedSupertypes.prefix(WireLimits.supertypes))
    }

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, type)
        bytes.appendField(2, repeated: supertypes)
        bytes.appendField(3, visibility)
        bytes.appendField(4, byteCount)
        bytes.appendField(5, provision)
        bytes.appendField(6, policy)
        bytes.appendField(7, firstByteMilliseconds)
        bytes.appendField(8, fileOptions?.rawValue)
        bytes.appendField(9, file)
        bytes.appendField(10, content)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: type = try field.string(in: bytes)
        case 2: try field.append(to: &supertypes, limit: WireLimits.supertypes, in: bytes)
        case 3: visibility = try field.enumeration()
        case 4: byteCount = try field.number64()
        case 5: provision = try field.enumeration()
        case 6: policy = try field.enumeration()
        case 7: firstByteMilliseconds = try field.number64()
        case 8: fileOptions = FileOptions(rawValue: try field.number32())
        case 9: try field.merge(into: &file, in: bytes)
        case 10: content = try field.enumeration()
        default: break
        }
    }
}
