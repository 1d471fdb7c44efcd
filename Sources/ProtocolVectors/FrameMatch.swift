import PasteboardWire

/// The comparison of a frame with the one that a vector shows.
///
/// The other side may order fields differently, and may send fields that this version does not know (M1, M2). So each
/// field that is shown must be present, with this value, and further fields are accepted.
struct FrameMatch {
    /// The values that names stand for, as bytes of frames.
    private(set) var bound: [String: [UInt8]] = [:]

    /// The stream of a shown frame, if it is known.
    func stream(of frame: VectorFrame) -> UInt64? {
        guard let name = frame.streamName, name != "any" else { return frame.header?.stream }
        return bound[name].flatMap { FrameHeader(([UInt8](repeating: 0, count: 8) + $0).span, at: 0)?.stream }
    }

    /// Notes the stream that the other side chose for a name.
    mutating func bind(_ name: String, toStream stream: UInt64) {
        bound[name] = (0..<8).map { UInt8(truncatingIfNeeded: stream >> (8 * $0)) }
    }

    /// Compares a received payload with a shown frame. Returns the difference, or nil if there is none.
    mutating func difference(_ payload: [UInt8], from frame: VectorFrame) -> String? {
        guard let kind = frame.header?.kind else { return nil }
        guard kind != .data else {
            return payload.elementsEqual(frame.bytes.dropFirst(FrameHeader.byteCount)) ? nil : "other bytes"
        }
        let shown = FrameHeader.byteCount..<frame.bytes.count
        guard let fields = MessageField.fields(of: payload, in: 0..<payload.count) else { return "a malformed message" }
        if let field = frame.absentFields.first(where: { number in fields.contains { $0.number == number } }) {
            return "field \(field), which must be absent"
        }
        return difference(payload, fields, frame, shown, message: NestedMessages.kinds[kind])
    }

    private mutating func difference(
        _ payload: [UInt8],
        _ fields: [MessageField],
        _ frame: VectorFrame,
        _ range: Range<Int>,
        message: String?
    ) -> String? {
        let nested = message.flatMap { NestedMessages.fields[$0] } ?? [:]
        var seen: [UInt32: Int] = [:]
        for expected in MessageField.fields(of: frame.bytes, in: range) ?? [] {
            let number = expected.number
            let candidates = fields.filter { $0.number == number }
            let index = seen[number, default: 0]
            seen[number] = index + 1
            guard index < candidates.count else { return "no field \(number)" }
            let actual = candidates[index]
            if let name = frame.values.first(where: { $0.range.lowerBound == expected.value.lowerBound })?.name {
                let value = Array(payload[actual.value])
                if name != "any", let known = bound[name], known != value { return "another \(name) than before" }
                bound[name] = value
                continue
            }
            guard !payload[actual.value].elementsEqual(frame.bytes[expected.value]) else { continue }
            if let inner = nested[number], let fields = MessageField.fields(of: payload, in: actual.contents) {
                if let text = difference(payload, fields, frame, expected.contents, message: inner) {
                    return "\(text) in field \(number)"
                }
                continue
            }
            guard let scalar = actual.scalar, let wanted = expected.scalar else { return "another field \(number)" }
            if scalar != wanted { return "\(scalar) in field \(number) instead of \(wanted)" }
        }
        return nil
    }
}
