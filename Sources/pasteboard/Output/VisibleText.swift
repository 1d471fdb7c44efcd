import PasteboardWire
import TypeIdentifiers

/// Text of other programs, escaped so that a terminal only shows it.
///
/// A control character of ASCII is written as `^X`: `^[` is escape. The bytes of other control characters, of
/// characters that break lines or turn their direction, and of invalid UTF-8 are written as `\xNN`.
struct VisibleText {
    /// The number of escaped bytes.
    private(set) var escapedCount = 0
    /// The start of a scalar whose rest is in the next chunk.
    private var carry: [UInt8] = []

    /// One line: a name, a type, a message.
    static func line(_ text: String) -> String { text.visible }

    /// Escapes the next chunk of a longer text, which may contain tabs and newlines.
    mutating func append(_ bytes: Span<UInt8>) -> [UInt8] {
        var input = carry
        input.reserveCapacity(input.count + bytes.count)
        for index in bytes.indices { input.append(bytes[index]) }
        carry = []
        var output: [UInt8] = []
        output.reserveCapacity(input.count)
        var index = 0
        while index < input.count {
            switch UTF8Scan.step(input.span, at: index) {
            case .scalar(0x0D, _):
                // Part of a CRLF; alone it would let the text overwrite its line.
                guard index + 1 < input.count else {
                    carry = [0x0D]
                    return output
                }
                put(input[index...index], escaped: input[index + 1] != 0x0A, to: &output)
                index += 1
            case .scalar(let value, let length):
                let isLayout = value == 0x09 || value == 0x0A
                put(
                    input[index..<index + length],
                    escaped: !isLayout && (Unicode.Scalar(value)?.isHarmful ?? true),
                    to: &output
                )
                index += length
            case .invalid:
                put(input[index...index], escaped: true, to: &output)
                index += 1
            case .incomplete:
                carry = Array(input[index...])
                return output
            }
        }
        return output
    }

    /// Escapes an incomplete scalar at the end of the text.
    mutating func finish() -> [UInt8] {
        var output: [UInt8] = []
        put(carry[...], escaped: true, to: &output)
        carry = []
        return output
    }

    private mutating func put(_ bytes: ArraySlice<UInt8>, escaped: Bool, to output: inout [UInt8]) {
        guard escaped else {
            output += bytes
            return
        }
        for byte in bytes { output += byte.visible.utf8 }
        escapedCount += bytes.count
    }
}
