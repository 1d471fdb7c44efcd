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
