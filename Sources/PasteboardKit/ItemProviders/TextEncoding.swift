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

    /// What the type names. Text whose type leaves that open says it in a byte order mark, or is UTF-8; a mark also says the
    /// order of UTF-16, whatever that of the type is without one. In text that is declared as UTF-8 the first character is a
    /// character.
    init(of type: UniformType, _ data: Data) {
        let named = type.textEncodingName?.uppercased()
        let isWide = named?.hasPrefix("UTF-16") ?? false
        let marks = named == nil ? Self.marks : isWide ? Self.marks.filter { $0.name.hasPrefix("UTF-16") } : []
        if let mark = marks.first(where: { data.starts(with: $0.bytes) }) {
            self.init(name: mark.name, markLength: mark.bytes.count)
        } else {
            // The converter would take the first character of UTF-16 for a mark; without one it is in this machine's order.
            let native = 1.littleEndian == 1 ? "UTF-16LE" : "UTF-16BE"
            self.init(name: named == "UTF-16" ? native : named ?? "UTF-8", markLength: 0)
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
            throw .unreadable(type, "it is no UTF-8 from byte \(offset) on")
        }
    }

    /// U+FEFF in UTF-8.
    private static var convertedMarkLength: Int { 3 }

    fileprivate func converted(from encoding: TextEncoding, type: UniformType) throws(PasteboardError) -> [UInt8] {
        do throws(SystemError) {
            // With its mark, so that the offsets that errors name are those in the data.
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

extension HandlerPool {
    /// Converts a text, which may be long.
    func utf8Text(of loaded: Loaded<Data>) async throws(PasteboardError) -> Data {
        let result = PendingResult<Data>()
        return try await result.value {
            result.resolve(.failure(.cancelled))
        } start: {
            run {
                result.resolve(
                    Result { () throws(PasteboardError) in
                        try PasteboardKit.utf8Text(of: loaded.value, type: loaded.type)
                    }
                )
            }
        }
    }
}
