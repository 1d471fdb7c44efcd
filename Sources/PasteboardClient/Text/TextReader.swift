package import PasteboardTransport
package import TypeIdentifiers

/// Converts a text to UTF-8, chunk by chunk. This is the only conversion that a load makes.
package struct TextReader {
    /// The length of U+FEFF in UTF-8.
    private static let markLength = 3

    private let type: UniformType
    /// The first bytes, until they show the encoding.
    private var head: [UInt8]? = []
    private var converter: TextConverter?
    /// The number of bytes that are still left out of the converted text: those of the byte order mark. The mark is
    /// converted, too, so that the offsets in errors are those in the text.
    private var leftOut = 0

    package init(of type: UniformType) {
        self.type = type
    }

    /// Whether text of a type can be read here: its encoding is known to the C library.
    package static func reads(_ type: UniformType) -> Bool {
        guard type.hasForeignEncoding, let name = type.textEncodingName else { return true }
        return (try? TextConverter(from: name, to: TextEncoding.utf8.name)) != nil
    }

    /// Whether line ends are the same bytes in an encoding as in UTF-8, so that they can be changed without a
    /// conversion.
    package static func hasPlainNewlines(_ encoding: String) -> Bool {
        let ends: [UInt8] = [0x0D, 0x0A]
        let converter = try? TextConverter(from: encoding, to: TextEncoding.utf8.name)
        return (try? converter?.next(ends.span)) == ends
    }

    /// Converts the next bytes. The result may lack the last character until the next call.
    package mutating func next(_ bytes: Span<UInt8>) throws(SystemError) -> [UInt8] {
        guard let count = head?.count else { return try convert(bytes) }
        // Usually the first chunk shows the encoding, and is not copied.
        if count == 0, bytes.count >= TextEncoding.longestMark {
            head = nil
            return try begin(bytes)
        }
        head?.append(copying: bytes)
        return count + bytes.count < TextEncoding.longestMark ? [] : try beginWithHead()
    }

    /// Returns the rest of the text. Throws if the text ends inside a character.
    package mutating func finish() throws(SystemError) -> [UInt8] {
        let rest = try head == nil ? [] : beginWithHead()
        return try rest + (converter?.finish() ?? [])
    }

    private mutating func beginWithHead() throws(SystemError) -> [UInt8] {
        // Moved out of the value: release builds have freed the array of a copy while its span was in use.
        let first = exchange(&head, with: nil) ?? []
        return try begin(first.span)
    }

    /// Converts the first bytes, which show the encoding.
    private mutating func begin(_ first: Span<UInt8>) throws(SystemError) -> [UInt8] {
        let encoding = TextEncoding(of: type, first)
        leftOut = encoding.markLength == 0 ? 0 : Self.markLength
        if encoding.name != TextEncoding.utf8.name {
            converter = try TextConverter(from: encoding.name, to: TextEncoding.utf8.name)
        }
        return try convert(first)
    }

    private mutating func convert(_ bytes: Span<UInt8>) throws(SystemError) -> [UInt8] {
        var output: [UInt8] = []
        if let converter { output = try converter.next(bytes) } else { output.append(copying: bytes) }
        let count = min(leftOut, output.count)
        leftOut -= count
        output.removeFirst(count)
        return output
    }
}
