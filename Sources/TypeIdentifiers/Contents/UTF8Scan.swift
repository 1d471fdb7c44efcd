/// Bytes that may be UTF-8, read one scalar at a time.
package enum UTF8Scan {
    package enum Step: Equatable {
        case scalar(UInt32, length: Int)
        /// No scalar begins with this byte, or none continues with the bytes after it.
        case invalid
        /// A scalar may begin here, but the bytes end before it is complete.
        case incomplete
    }

    package static func step(_ bytes: Span<UInt8>, at index: Int) -> Step {
        let first = bytes[index]
        let length: Int
        var value: UInt32
        // The range of the second byte excludes overlong forms, surrogates and numbers above U+10FFFF.
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0x00...0x7F: return .scalar(UInt32(first), length: 1)
        case 0xC2...0xDF: (length, value) = (2, UInt32(first & 0x1F))
        case 0xE0...0xEF:
            (length, value) = (3, UInt32(first & 0x0F))
            if first == 0xE0 { second = 0xA0...0xBF }
            if first == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            (length, value) = (4, UInt32(first & 0x07))
            if first == 0xF0 { second = 0x90...0xBF }
            if first == 0xF4 { second = 0x80...0x8F }
        default: return .invalid
        }
        for offset in 1..<length {
            guard index + offset < bytes.count else { return .incomplete }
            let byte = bytes[index + offset]
            guard (offset == 1 ? second : 0x80...0xBF).contains(byte) else { return .invalid }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        return .scalar(value, length: length)
    }

    /// Whether the bytes are UTF-8 without NUL.
    ///
    /// - Parameter isWhole: whether no more bytes follow. Otherwise the last scalar may be incomplete.
    package static func isText(_ bytes: Span<UInt8>, isWhole: Bool) -> Bool {
        var index = 0
        while index < bytes.count {
            // Most text is ASCII, and all text is checked before it is sent.
            if bytes[index] &- 1 < 0x7F {
                index += 1
                continue
            }
            switch self.step(bytes, at: index) {
            case .scalar(let value, let length):
                if value == 0 { return false }
                index += length
            case .invalid: return false
            case .incomplete: return !isWhole
            }
        }
        return true
    }
}
