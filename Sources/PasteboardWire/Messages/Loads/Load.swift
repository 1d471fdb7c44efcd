// Five places know the fields of a load, because one that names a single type is written and read without this type:
//
// - `Load.fields`, below, and `pasteboard.proto`, which a test compares with it;
// - `FrameMemory.append(_:credit:stream:)`, which writes such a load;
// - `LoadFields`, below, which reads it in place: a load with a field that it does not know is decoded;
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

    /// A load of one item.
    ///
    /// - Parameter handle: the publication; nil for the present contents of a board.
    package init(_ handle: UInt64?, item: UInt32? = nil, accepts: [Accept]) {
        (self.handle, self.item, self.accepts) = (handle, item, accepts)
    }

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

/// A load in its encoded form, which can be requested any number of times.
///
/// It takes less memory than the message, and a request copies only a few words.
package struct EncodedLoad: Sendable {
    package let handle: UInt64?
    package let credit: UInt64
    package let maximumByteCount: UInt64?
    package let descriptorWelcome: Bool
    /// The number of bytes of the frame.
    package let byteCount: Int
    /// The frame with stream 0, in words of eight bytes, little endian. Unused bytes of the last word are 0.
    let words: [UInt64]

    /// - Parameter standardCredit: the credit of a load that sets none.
    package init(_ load: borrowing Load, standardCredit: UInt64) {
        handle = load.handle
        credit = load.credit ?? standardCredit
        maximumByteCount = load.maximumByteCount
        descriptorWelcome = load.descriptorWelcome ?? false
        var frames = FrameMemory()
        byteCount = frames.append(load, credit: credit, stream: 0).count
        words = frames.words
    }
}

/// The fields of a plain load, read in place: numbers, and ranges of the payload. Nothing is allocated or copied.
///
/// Most loads are plain: they name one type, and have no conditions or required features. Every other payload,
/// including a malformed one, is decoded as a ``Load``, whose errors are the only ones. So a reader of these fields
/// never refuses a load: if it cannot answer one, the load is decoded and judged again.
///
/// The ranges are neither UTF-8 nor names that are known to be well-formed. Their bytes are only compared with names
/// that were checked when they were stored.
package struct LoadFields {
    package private(set) var handle: UInt64?
    /// The range of the board's name.
    package private(set) var board: Range<Int>?
    package private(set) var item: UInt32 = 0
    /// The range of the only type that is accepted.
    package private(set) var type: Range<Int>
    package private(set) var maximumByteCount: UInt64?
    package private(set) var credit: UInt64 = 0
    package private(set) var descriptorWelcome = false
    package private(set) var timeoutMilliseconds: UInt64?
    package private(set) var inPlaceWelcome = false

    /// - Returns: nil if the payload is not a plain load. This says nothing about its validity.
    package init?(plain payload: Span<UInt8>) {
        var accepted: Range<Int>?
        var offset = 0
        do throws(Failure) {
            while offset < payload.count {
                // The keys of all known fields take one byte: the number of the field, and 2 in the lowest three bits
                // if its length follows. Of several numbers the last counts. Strings and messages must not be repeated.
                let key = payload[offset]
                offset += 1
                let value = try Protobuf.varint(in: payload, at: &offset, end: payload.count)
                switch key {
                case 1 << 3: handle = value
                case 4 << 3: item = UInt32(truncatingIfNeeded: value)
                // With a single type, both sides prefer the same. Other numbers are refused.
                case 6 << 3: guard value <= 1 else { return nil }
                case 7 << 3: maximumByteCount = value
                case 8 << 3: credit = value
                case 9 << 3: descriptorWelcome = value != 0
                case 11 << 3: timeoutMilliseconds = value
                case 12 << 3: inPlaceWelcome = value != 0
                case 2 << 3 | 2, 5 << 3 | 2:
                    guard value <= UInt64(payload.count - offset) else { return nil }
                    let range = offset..<offset + Int(value)
                    offset = range.upperBound
                    if key == 2 << 3 | 2 {
                        guard board == nil else { return nil }
                        board = range
                    } else {
                        guard accepted == nil, let type = try Self.type(of: range, in: payload) else { return nil }
                        accepted = type
                    }
                default: return nil
                }
            }
        } catch {
            return nil
        }
        // Beside a handle, nothing would compare the board's name.
        guard let accepted, handle == nil || board == nil else { return nil }
        type = accepted
    }

    /// The range of the type in an entry of the accept list; nil if the entry also accepts types that differ from it
    /// and do not conform to it.
    @inline(__always)
    private static func type(of entry: Range<Int>, in payload: Span<UInt8>) throws(Failure) -> Range<Int>? {
        var type: Range<Int>?
        var match = Match.absent
        var offset = entry.lowerBound
        while offset < entry.upperBound {
            let key = payload[offset]
            offset += 1
            let value = try Protobuf.varint(in: payload, at: &offset, end: entry.upperBound)
            switch key {
            case 1 << 3 | 2 where type == nil:
                guard value <= UInt64(entry.upperBound - offset) else { return nil }
                type = offset..<offset + Int(value)
                offset += Int(value)
            case 2 << 3: match = Match(rawValue: UInt32(truncatingIfNeeded: value))
            default: return nil
            }
        }
        return match == .exact || match == .conforming ? type : nil
    }
}
