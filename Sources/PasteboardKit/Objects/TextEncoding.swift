package import FoundationEssentials
import PasteboardTransport

/// How the text of some data is encoded, and how many bytes before it are a mark of that.
struct TextEncoding {
    static let utf8 = TextEncoding(name: "UTF-8", markLength: 0)

    private static let marks: [(bytes: [UInt8], name: String)] = [
        ([0xEF, 0xBB, 0xBF], "UTF-8"), ([0xFE, 0xFF], "UTF-16BE"), ([0xFF, 0xFE], "UTF-16LE"),
    ]

    /// As the C library's converter has it.
    let name: String
    let markLength: Int

    private init(name: String, markLength: Int) {
        self.name = name
        self.markLength = markLength
    }

    /// What the type names. Text whose type leaves that open says it in a byte order mark, or is UTF-8.
    init(of type: UniformType, _ data: Data) {
        let named = type.textEncodingName
        let mark = Self.marks.first { mark in
            // In text that is declared as UTF-8 the first character is a character.
            (named == nil || named == "UTF-16" && mark.name != "UTF-8") && data.starts(with: mark.bytes)
        }
        if let mark {
            self.init(name: mark.name, markLength: mark.bytes.count)
        } else if named == "UTF-16" {
            // Meant for the outside it is in network order; otherwise it has the order of the machine.
            let isLittle = !type.conforms(to: .utf16ExternalPlainText) && 1.littleEndian == 1
            self.init(name: isLittle ? "UTF-16LE" : "UTF-16BE", markLength: 0)
        } else {
            self.init(name: named ?? "UTF-8", markLength: 0)
        }
    }
}

extension Data {
    /// The text that these bytes of `type` are.
    func text(as encoding: TextEncoding, type: UniformType) throws(PasteboardError) -> String {
        let bytes = span.extracting(encoding.markLength...)
        guard encoding.name == "UTF-8" else {
            return String(decoding: try converted(from: encoding, type: type), as: UTF8.self)
        }
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            let offset = encoding.markLength + error.byteOffsets.lowerBound
            throw .unreadable(type, "UTF-8 has no such character as at byte \(offset)")
        }
    }

    /// U+FEFF in UTF-8.
    private static var convertedMarkLength: Int { 3 }

    fileprivate func converted(from encoding: TextEncoding, type: UniformType) throws(PasteboardError) -> [UInt8] {
        do throws(SystemError) {
            // With its mark, so that the places that errors name are those in the data.
            let text = try System.convert(span, fromEncoding: encoding.name, toEncoding: "UTF-8")
            return encoding.markLength == 0 ? text : Array(text.dropFirst(Self.convertedMarkLength))
        } catch {
            throw .unreadable(type, "\(error)")
        }
    }
}

/// The text of `type` that `data` is, in UTF-8: the one conversion that a load makes.
package func utf8Text(of data: Data, type: UniformType) throws(PasteboardError) -> Data {
    let encoding = TextEncoding(of: type, data)
    if encoding.name == "UTF-8" {
        // Its bytes stay what they are, but are not taken on trust.
        _ = try data.text(as: encoding, type: type)
        return encoding.markLength == 0 ? data : Data(data.dropFirst(encoding.markLength))
    }
    return Data(try data.converted(from: encoding, type: type))
}

extension UniformType {
    fileprivate var textEncodingName: String? {
        if conforms(to: .utf8PlainText) { return "UTF-8" }
        if conforms(to: .utf16PlainText) || conforms(to: .utf16ExternalPlainText) { return "UTF-16" }
        if conforms(to: UniformType(importedAs: "com.apple.traditional-mac-plain-text")) { return "MACINTOSH" }
        return nil
    }
}
