import PasteboardWire

/// A message as sorted lines `path=value`, one for each field that is present. Both sides of an encoding are compared
/// in this form.
func fieldLines(_ message: any ProtobufMessage) -> [String] {
    lines(of: message, at: "").sorted()
}

private func lines(of value: Any, at path: String) -> [String] {
    // The types are compared instead of cast, because any empty list can be cast to this type.
    if type(of: value) == [UInt8]?.self { return (value as? [UInt8]).map { [FieldLine.bytes($0, at: path)] } ?? [] }
    switch value {
    case let value as any RawRepresentable<UInt32>: return ["\(path)=\(value.rawValue)"]
    case let value as String: return [FieldLine.string(value, at: path)]
    // Bound with `case let`, because a cast looks through an optional and a plain value does not.
    case let value as UInt32: return ["\(path)=\(value)"]
    case let value as UInt64: return ["\(path)=\(value)"]
    case let value as Int64: return ["\(path)=\(UInt64(bitPattern: value))"]
    case let value as Bool: return ["\(path)=\(value)"]
    case let list as [Any]:
        return list.enumerated().flatMap { lines(of: $1, at: "\(path)[\($0)]") }
    default: break
    }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
        return mirror.children.flatMap { lines(of: $0.value, at: path) }
    }
    // A failure keeps its fields in a separate object.
    let fields = value is Failure ? mirror.children.first.map { Mirror(reflecting: $0.value) } ?? mirror : mirror
    let own = path.isEmpty ? [] : ["\(path)={}"]
    return own + fields.children.flatMap { lines(of: $0.value, at: "\(path).\(($0.label ?? "").snakeCased)") }
}

enum FieldLine {
    /// The bytes of a string, so that a line contains no line break and no blank.
    static func string(_ value: String, at path: String) -> String {
        bytes(Array(value.utf8), at: path)
    }

    static func bytes(_ value: [UInt8], at path: String) -> String {
        "\(path)='\(hex(value))'"
    }
}

extension String {
    /// `dropReports` as `drop_reports`.
    var snakeCased: String {
        reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : "\($1)" }
    }
}

/// The encoding of a number by the specification, byte by byte.
func varint(_ number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = number
    while rest >= 0x80 {
        bytes.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
    }
    return bytes + [UInt8(rest)]
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func bytes(hex: some StringProtocol) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
