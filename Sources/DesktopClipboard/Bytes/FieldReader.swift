package import PasteboardWire

/// Reads the little-endian fields of a message of a display server, which may contain anything.
package struct FieldReader: Sendable {
    private var bytes: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    package var count: Int { bytes.count }

    package mutating func take(_ count: Int) throws(Failure) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count else {
            throw Failure(.protocolViolation, "the display server has sent a message that is too short")
        }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    package mutating func skip(_ count: Int) throws(Failure) { _ = try take(count) }

    package mutating func uint8() throws(Failure) -> UInt8 { try take(1).first ?? 0 }

    package mutating func uint16() throws(Failure) -> UInt16 {
        try take(2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
    }

    package mutating func uint32() throws(Failure) -> UInt32 {
        try take(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// All further words.
    package mutating func words() throws(Failure) -> [UInt32] {
        var words: [UInt32] = []
        while count >= 4 { words.append(try uint32()) }
        return words
    }

    /// A string of Wayland: its length with the final zero, its bytes, and padding.
    package mutating func string() throws(Failure) -> String {
        let length = Int(try uint32())
        guard length > 0 else { return "" }
        let bytes = try take(length.paddedToWords)
        return String(decoding: bytes.prefix(length - 1), as: UTF8.self)
    }
}

/// Writes the little-endian fields of a message.
struct FieldWriter {
    var bytes: [UInt8] = []

    mutating func append(_ value: some FixedWidthInteger) {
        let value = value.littleEndian
        for shift in stride(from: 0, to: type(of: value).bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func pad() {
        bytes.append(contentsOf: repeatElement(0, count: bytes.count.paddedToWords - bytes.count))
    }

    /// A string of Wayland.
    mutating func append(string: String) {
        append(UInt32(clamping: string.utf8.count + 1))
        bytes += Array(string.utf8) + [0]
        pad()
    }
}

extension Int {
    /// The next multiple of 4. The value is a length that was 32 bits, so the sum cannot overflow.
    var paddedToWords: Int { (self + 3) / 4 * 4 }
}
