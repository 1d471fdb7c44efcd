/// The grammar of type identifiers, as the protocol defines it.
package enum TypeIdentifier {
    /// The largest length in bytes of UTF-8.
    package static let maximumLength = 512

    /// Whether `identifier` consists of 1 to 512 bytes: ASCII letters, digits, `-`, `.`, `_`, and code points from
    /// U+00A1 on that do not change the display of the text around them.
    package static func isWellFormed(_ identifier: String) -> Bool {
        let bytes = identifier.utf8.span
        guard 1...maximumLength ~= bytes.count else { return false }
        for index in bytes.indices where !isAllowed(bytes[index]) {
            guard bytes[index] >= 0x80 else { return false }
            return identifier.unicodeScalars.allSatisfy(isAllowed)
        }
        return true
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x80: isAllowed(UInt8(truncatingIfNeeded: scalar.value))
        case ..<0xA1: false
        // Bidirectional controls, and two separators that break a line. An identifier is shown in lists and messages,
        // and must not rearrange them.
        case 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }
}
