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

    /// An item without representations.
    package init(suggestedName: String?, title: String? = nil) {
        (self.suggestedName, self.title) = (suggestedName, title)
    }

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "suggested_name", &suggestedName)
        visit(2, "representations", &representations, most: WireLimits.representations)
        visit(3, "presentation_width", &presentationWidth)
        visit(4, "presentation_height", &presentationHeight)
        visit(5, "presentation_style", &presentationStyle)
        visit(6, "team_data", &teamData, most: WireLimits.teamData)
        visit(7, "title", &title, most: WireLimits.title)
        visit(15, "requires", &requires, most: WireLimits.features)
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

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "type", &type)
        visit(2, "supertypes", &supertypes, most: WireLimits.supertypes)
        visit(3, "visibility", &visibility)
        visit(4, "byte_count", &byteCount)
        visit(5, "provision", &provision)
        visit(6, "policy", &policy)
        visit(7, "first_byte_milliseconds", &firstByteMilliseconds)
        visit(8, "file_options", &fileOptions)
        visit(9, "file", &file)
        visit(10, "content", &content)
    }
}
