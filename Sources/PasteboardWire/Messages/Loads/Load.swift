// Five places know the fields of a load, because one that names a single type is written and read without this type:
//
// - `Load.fields`, below, and `pasteboard.proto`, which a test compares with it;
// - `FrameMemory.append(_:credit:stream:)`, which writes such a load;
// - `LoadFields`, which reads it in place: a load with a field that it does not know is decoded;
// - `ContentStore.plainOffer`, which decides about it as `ContentStore.offer` decides about a decoded one.

/// Opens a load: the publication, the item and the types.
package struct Load: WireMessage {
    package static let kind = FrameKind.load

    /// A publication; if absent, the current contents of `board`.
    package var handle: UInt64?
    /// The board's name; `general` when absent.
    package var board: String?
    /// Load only if the board is still at this change count (feature `condition`).
    package var ifChangeCount: UInt64?
    /// The index of the item, from 0.
    package var item: UInt32?
    /// The types that the destination accepts, best first; any type if there are none.
    package var accepts: [Accept] = []
    /// The side whose order decides among several representations that fit.
    package var preference: Preference?
    /// The largest size that is accepted; a load of more bytes fails with `too-large`.
    package var maximumByteCount: UInt64?
    /// The offset up to which bytes may be sent without further credit.
    package var credit: UInt64?
    /// Whether the bytes may be passed as a descriptor.
    package var descriptorWelcome: Bool?
    /// The timeout of the whole load, instead of the default deadlines. 0 means the longest deadline.
    package var timeoutMilliseconds: UInt64?
    /// Whether the source's own file may be passed instead of a copy, if the source allows it.
    package var inPlaceWelcome: Bool?
    /// Whether no person asked for the load, as in a history. Concealed contents, and contents with a limited number of
    /// loads, refuse it.
    package var isAutomatic: Bool?
    package var requires: [UInt32] = []

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "handle", &handle)
        visit(2, "board", &board)
        visit(3, "if_change_count", &ifChangeCount)
        visit(4, "item", &item)
        visit(5, "accepts", &accepts, most: WireLimits.accepts)
        visit(6, "preference", &preference)
        visit(7, "maximum_byte_count", &maximumByteCount)
        visit(8, "credit", &credit)
        visit(9, "descriptor_welcome", &descriptorWelcome)
        visit(11, "timeout_milliseconds", &timeoutMilliseconds)
        visit(12, "in_place_welcome", &inPlaceWelcome)
        visit(13, "is_automatic", &isAutomatic)
        visit(15, "requires", &requires, most: WireLimits.features)
    }
}

/// One entry of an accept list.
package struct Accept: ProtobufMessage {
    package var type: String = ""
    package var match: Match?

    package init() {}

    package init(_ type: String, match: Match? = nil) {
        (self.type, self.match) = (type, match)
    }

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "type", &type)
        visit(2, "match", &match)
    }
}
