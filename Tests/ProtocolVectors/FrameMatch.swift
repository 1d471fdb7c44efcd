import PasteboardWire

/// The comparison of a frame with the one that a vector shows.
///
/// The other side may order fields differently, and may send fields that this version does not know (M1, M2). So each
/// field that is shown must be present, with this value, and further fields are accepted.
struct FrameMatch {
    /// The values that names stand for, as bytes of frames.
    private(set) var bound: [String: [UInt8]] = [:]
    private let schema = ProtocolSchema.shipped

    /// The stream of a shown frame, if it is known.
    func stream(of frame: VectorFrame) -> UInt64? {
        guard let name = frame.streamName, name != "any" else { return frame.header?.stream }
        return bound[name].flatMap { FrameHeader(([UInt8](repeating: 0, count: 8) + $0).span, at: 0)?.stream }
    }

    /// Records the stream that the other side chose for a name.
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
        let message = schema.message(of: kind) ?? ""
        guard let fields = schema.fields(of: payload, in: 0..<payload.count, message: message) else {
            return "a malformed message"
        }
        return difference(payload, fields, frame, shown, message: message)
    }

    private func name(of field: UInt32, in message: String) -> String {
        schema.messages[message]?[field]?.name ?? "field \(field)"
    }

    private mutating func difference(
        _ payload: [UInt8],
        _ fields: [MessageField],
        _ frame: VectorFrame,
        _ range: Range<Int>,
        message: String
    ) -> String? {
        for field in frame.absentFields
        where field.start == range.lowerBound && fields.contains(where: { $0.number == field.number }) {
            return "\(name(of: field.number, in: message)) must be absent"
        }
        var seen: [UInt32: Int] = [:]
        let shown = schema.fields(of: frame.bytes, in: range, message: message) ?? []
        for expected in shown {
            let number = expected.number
            let field = schema.messages[message]?[number]
            let candidates = fields.filter { $0.number == number }
            let index = seen[number, default: 0]
            seen[number] = index + 1
            let count = shown.count { $0.number == number }
            let isList = count > 1
            let name = name(of: number, in: message) + (isList ? "[\(index)]" : "")
            guard index < candidates.count else {
                // A missing field is a fault by itself (M8). For the exchange it means 0.
                if expected.scalar == 0, let field, BrokerAudit.requires(field.name, in: message) { continue }
                return "\(name) is absent"
            }
            guard field?.label != "repeated" || candidates.count == count else {
                return "\(name) is one of \(candidates.count) instead of \(count)"
            }
            let actual = candidates[index]
            if let value = frame.values.first(where: { $0.range.lowerBound == expected.value.lowerBound })?.name {
                let bytes = Array(payload[actual.value])
                if value != "any", let known = bound[value], known != bytes {
                    return "\(name) is another \(value) than before"
                }
                bound[value] = bytes
                continue
            }
            guard !payload[actual.value].elementsEqual(frame.bytes[expected.value]) else { continue }
            if let inner = field?.type, schema.messages[inner] != nil,
                let fields = schema.fields(of: payload, in: actual.contents, message: inner)
            {
                if let text = difference(payload, fields, frame, expected.contents, message: inner) {
                    return "\(name).\(text)"
                }
                continue
            }
            guard let scalar = actual.scalar, let wanted = expected.scalar else {
                return "\(name) is \(Self.text(payload[actual.contents])) "
                    + "instead of \(Self.text(frame.bytes[expected.contents]))"
            }
            guard scalar != wanted else { continue }
            return "\(name) is \(schema.text(of: scalar, in: field)) instead of \(schema.text(of: wanted, in: field))"
        }
        return nil
    }

    /// The first bytes, for a person: in quotes if they are printable ASCII, otherwise in hexadecimal.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        let first = bytes.prefix(48)
        let rest = bytes.count > first.count ? " … (\(bytes.count) bytes)" : ""
        if first.allSatisfy({ 0x20...0x7E ~= $0 }) { return "\"\(String(decoding: first, as: UTF8.self))\"\(rest)" }
        return first.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ") + rest
    }
}
