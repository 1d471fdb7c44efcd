package import FoundationEssentials
import PasteboardTransport

/// The encoding of a text, and the length of the byte order mark before it.
struct TextEncoding {
    static let utf8 = TextEncoding(name: "UTF-8", markLength: 0)

    private static let marks: [(bytes: [UInt8], name: String)] = [
        ([0xEF, 0xBB, 0xBF], "UTF-8"), ([0xFE, 0xFF], "UTF-16BE"), ([0xFF, 0xFE], "UTF-16LE"),
    ]

    /// The name of the encoding for the C library's converter.
    let name: String
    let markLength: Int
}

extension TextEncoding {
    /// Determines the encoding of `data`. If the type does not determine it, the byte order mark does; without a mark
    /// the text is UTF-8. For UTF-16, a mark overrides the byte order of the type. In text of a UTF-8 type a mark is
    /// not skipped: it is the first character.
    init(of type: UniformType, _ data: Data) {
        let named = type.textEncodingName?.uppercased()
        let isWide = named?.hasPrefix("UTF-16") ?? false
        let marks = named == nil ? Self.marks : isWide ? Self.marks.filter { $0.name.hasPrefix("UTF-16") } : []
        if let mark = marks.first(where: { data.starts(with: $0.bytes) }) {
            self.init(name: mark.name, markLength: mark.bytes.count)
        } else {
            // For "UTF-16" the converter would take the first character for a mark. Text without a mark has this
            // machine's byte order.
            let native = 1.littleEndian == 1 ? "UTF-16LE" : "UTF-16BE"
            self.init(name: named == "UTF-16" ? native : named ?? "UTF-8", markLength: 0)
        }
    }
}

extension Data {
    /// Decodes the bytes, which are text of `type`.
    func text(as encoding: TextEncoding, type: UniformType) throws(PasteboardError) -> String {
        let bytes = span.extracting(encoding.markLength...)
        guard encoding.name == "UTF-8" else {
            return String(decoding: try converted(from: encoding, type: type), as: UTF8.self)
        }
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            let offset = encoding.markLength + error.byteOffsets.lowerBound
            throw .unreadable(type, "invalid UTF-8 at byte \(offset)")
        }
    }

    /// The length of U+FEFF in UTF-8.
    private static var convertedMarkLength: Int { 3 }

    fileprivate func converted(from encoding: TextEncoding, type: UniformType) throws(PasteboardError) -> [UInt8] {
        do throws(SystemError) {
            // The mark is converted, too, so that the offsets in errors are those in the data.
            let text = try System.convert(span, fromEncoding: encoding.name, toEncoding: "UTF-8")
            return encoding.markLength == 0 ? text : Array(text.dropFirst(Self.convertedMarkLength))
        } catch {
            throw .unreadable(type, "\(error)")
        }
    }
}

/// Converts a text of `type` to UTF-8. This is the only conversion that a load makes.
package func utf8Text(of data: Data, type: UniformType) throws(PasteboardError) -> Data {
    let encoding = TextEncoding(of: type, data)
    if encoding.name == "UTF-8" {
        // The bytes remain unchanged, but are validated.
        _ = try data.text(as: encoding, type: type)
        return encoding.markLength == 0 ? data : Data(data.dropFirst(encoding.markLength))
    }
    return Data(try data.converted(from: encoding, type: type))
}
