/// Bytes at fixed offsets near the start of a file, written as text: `'RIFF' .. .. .. .. 'WEBP'`, `@257 'ustar'`.
///
/// A pair of hexadecimal digits is one byte, `..` is any byte, quoted characters are their ASCII codes, and `@257`
/// continues at that offset. The text is matched without parsing it first: the table of signatures costs nothing at
/// start.
enum BytePattern {
    /// Whether `bytes` matches `pattern`. Allocates nothing.
    static func matches(_ pattern: String, _ bytes: Span<UInt8>) -> Bool {
        let pattern = pattern.utf8.span
        var (index, place) = (0, 0)
        while index < pattern.count {
            switch pattern[index] {
            case UInt8(ascii: " "):
                index += 1
            case UInt8(ascii: "@"):
                index += 1
                place = 0
                while index < pattern.count, let digit = hexadecimal(pattern[index]) {
                    place = place &* 10 &+ Int(digit)
                    index += 1
                }
            case UInt8(ascii: "'"):
                index += 1
                while index < pattern.count, pattern[index] != UInt8(ascii: "'") {
                    guard place < bytes.count, bytes[place] == pattern[index] else { return false }
                    index += 1
                    place += 1
                }
                index += 1
            case UInt8(ascii: "."):
                index += 2
                place += 1
            default:
                guard index + 1 < pattern.count, place < bytes.count, let high = hexadecimal(pattern[index]),
                    let low = hexadecimal(pattern[index + 1]), bytes[place] == high << 4 | low
                else { return false }
                index += 2
                place += 1
            }
        }
        return true
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
