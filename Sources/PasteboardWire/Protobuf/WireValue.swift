/// A type of which a message has fields.
package protocol WireValue: Sendable, Equatable {
    /// The value of a field before its first occurrence.
    static var initial: Self { get }
    /// Takes one occurrence of the field: the last scalar counts, messages are merged, and lists grow.
    mutating func decode(from input: inout FieldDecoder, most: Int)
    /// Writes nothing for an absent value and an empty list. A scalar that is present is written even if it is 0,
    /// because the schema distinguishes it from an absent one (explicit presence).
    func encode(as number: UInt32, into output: inout FieldEncoder)
}

/// A type of which a message has lists.
package protocol WireListElement: Sendable, Equatable {
    static func decode(into list: inout [Self], from input: inout FieldDecoder, most: Int)
    static func encode(_ list: [Self], as number: UInt32, into output: inout FieldEncoder)
}

extension UInt64: WireValue {
    package static var initial: UInt64 { 0 }
    @inline(__always)
    package mutating func decode(from input: inout FieldDecoder, most: Int) { self = input.number() }
    @inline(__always)
    package func encode(as number: UInt32, into output: inout FieldEncoder) { output.put(number, self) }
}

/// Signed numbers are sent as their two's complement.
extension Int64: WireValue {
    package static var initial: Int64 { 0 }
    package mutating func decode(from input: inout FieldDecoder, most: Int) { self = Int64(bitPattern: input.number()) }
    package func encode(as number: UInt32, into output: inout FieldEncoder) {
        output.put(number, UInt64(bitPattern: self))
    }
}

extension UInt32: WireValue {
    package static var initial: UInt32 { 0 }
    /// The low 32 bits of the number, as protobuf defines it.
    @inline(__always)
    package mutating func decode(from input: inout FieldDecoder, most: Int) {
        self = UInt32(truncatingIfNeeded: input.number())
    }
    @inline(__always)
    package func encode(as number: UInt32, into output: inout FieldEncoder) { output.put(number, UInt64(self)) }
}

extension Bool: WireValue {
    package static var initial: Bool { false }
    @inline(__always)
    package mutating func decode(from input: inout FieldDecoder, most: Int) { self = input.number() != 0 }
    @inline(__always)
    package func encode(as number: UInt32, into output: inout FieldEncoder) { output.put(number, self ? 1 : 0) }
}

extension String: WireValue {
    package static var initial: String { "" }
    package mutating func decode(from input: inout FieldDecoder, most: Int) { self = input.text(most: most) }
    package func encode(as number: UInt32, into output: inout FieldEncoder) { output.put(number, bytes: utf8.span) }
}

/// A number with names for some values. Other values are kept, too.
package protocol WireNumber: RawRepresentable, WireValue where RawValue == UInt32 {
    init(rawValue: UInt32)
}

extension WireNumber {
    package static var initial: Self { Self(rawValue: 0) }
    @inline(__always)
    package mutating func decode(from input: inout FieldDecoder, most: Int) {
        self = Self(rawValue: UInt32(truncatingIfNeeded: input.number()))
    }
    @inline(__always)
    package func encode(as number: UInt32, into output: inout FieldEncoder) { output.put(number, UInt64(rawValue)) }
}

extension Optional: WireValue where Wrapped: WireValue {
    package static var initial: Wrapped? { nil }
    @inline(__always)
    package mutating func decode(from input: inout FieldDecoder, most: Int) {
        var value = self ?? Wrapped.initial
        value.decode(from: &input, most: most)
        self = value
    }
    @inline(__always)
    package func encode(as number: UInt32, into output: inout FieldEncoder) {
        if let self { self.encode(as: number, into: &output) }
    }
}

// MARK: Lists

extension Array: WireValue where Element: WireListElement {
    package static var initial: [Element] { [] }
    @inline(__always)
    package mutating func decode(from input: inout FieldDecoder, most: Int) {
        Element.decode(into: &self, from: &input, most: most)
    }
    @inline(__always)
    package func encode(as number: UInt32, into output: inout FieldEncoder) {
        Element.encode(self, as: number, into: &output)
    }
}

extension WireListElement where Self: WireValue {
    package static func decode(into list: inout [Self], from input: inout FieldDecoder, most: Int) {
        guard input.hasRoom(list.count, most) else { return }
        var value = initial
        value.decode(from: &input, most: .max)
        list.append(value)
    }
    package static func encode(_ list: [Self], as number: UInt32, into output: inout FieldEncoder) {
        for value in list { value.encode(as: number, into: &output) }
    }
}

extension String: WireListElement {}

/// Numbers are sent packed, as proto3 does by default.
extension WireListElement where Self: WireValue & FixedWidthInteger {
    package static func decode(into list: inout [Self], from input: inout FieldDecoder, most: Int) {
        input.appendNumbers(to: &list, most: most)
    }
    package static func encode(_ list: [Self], as number: UInt32, into output: inout FieldEncoder) {
        guard !list.isEmpty else { return }
        output.putPrefixed(number) { output in
            for value in list { output.putVarint(UInt64(truncatingIfNeeded: value)) }
        }
    }
}

extension UInt32: WireListElement {}
extension UInt64: WireListElement {}

/// A list of bytes is one value, which is sent even if it is empty.
extension UInt8: WireListElement {
    package static func decode(into list: inout [UInt8], from input: inout FieldDecoder, most: Int) {
        list = input.copiedBytes(most: most)
    }
    package static func encode(_ list: [UInt8], as number: UInt32, into output: inout FieldEncoder) {
        output.put(number, bytes: list.span)
    }
}
