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

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        encode(into: &bytes, credit: credit)
    }

    /// Writes all fields, with `credit` as the load's credit.
    package func encode(into bytes: inout OutputSpan<UInt8>, credit: UInt64?) {
        bytes.appendField(1, handle)
        bytes.appendField(2, board)
        bytes.appendField(3, ifChangeCount)
        bytes.appendField(4, item)
        bytes.appendField(5, repeated: accepts)
        bytes.appendField(6, preference)
        bytes.appendField(7, maximumByteCount)
        bytes.appendField(8, credit)
        bytes.appendField(9, descriptorWelcome)
        bytes.appendField(11, timeoutMilliseconds)
        bytes.appendField(12, inPlaceWelcome)
        bytes.appendField(13, isAutomatic)
        bytes.appendField(15, repeated: requires)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: handle = try field.number64()
        case 2: board = try field.string(in: bytes)
        case 3: ifChangeCount = try field.number64()
        case 4: item = try field.number32()
        case 5: try field.append(to: &accepts, limit: WireLimits.accepts, in: bytes)
        case 6: preference = try field.enumeration()
        case 7: maximumByteCount = try field.number64()
        case 8: credit = try field.number64()
        case 9: descriptorWelcome = try field.bool()
        case 11: timeoutMilliseconds = try field.number64()
        case 12: inPlaceWelcome = try field.bool()
        case 13: isAutomatic = try field.bool()
        case 15: try field.append(to: &requires, limit: WireLimits.features, in: bytes)
        default: break
        }
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

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, type)
        bytes.appendField(2, match)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: type = try field.string(in: bytes)
        case 2: match = try field.enumeration()
        default: break
        }
    }
}
