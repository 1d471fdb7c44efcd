/// Base 32 in the alphabet of dynamic identifiers, most significant bit first.
enum Base32 {
    private static let alphabet = Array("abcdefghkmnpqrstuvwxyz0123456789".utf8)
    /// The value of each digit in either case, or 32 for other bytes. A table, because untrusted peers determine the
    /// amount of decoding.
    private static let values = (0...UInt8.max).map { digit in
        UInt8(alphabet.firstIndex(of: digit.foldedASCII) ?? 32)
    }

    static func encode(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                digits.append(alphabet[buffer >> bits & 31])
            }
        }
        if bits > 0 { digits.append(alphabet[buffer << (5 - bits) & 31]) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Decodes the digits. Returns nil for an invalid digit, and for an ending that encoding never produces, so that
    /// each sequence of bytes has only one text.
    static func decode(_ digits: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 5 / 8)
        var (buffer, bits) = (0, 0)
        let values = values
        for digit in digits {
            let value = values[Int(digit)]
            guard value < 32 else { return nil }
            buffer = (buffer << 5 | Int(value)) & 0xFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        guard bits < 5, buffer & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }
}
