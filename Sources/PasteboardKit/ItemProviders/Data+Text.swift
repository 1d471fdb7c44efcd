package import FoundationEssentials
import PasteboardClient
import PasteboardTransport

extension Data {
    /// Decodes the bytes, which are text of `type`.
    func text(of type: UniformType) throws(PasteboardError) -> String {
        let encoding = TextEncoding(of: type, span)
        guard encoding.name == TextEncoding.utf8.name else {
            return String(decoding: try utf8Text(of: self, type: type), as: UTF8.self)
        }
        return try utf8(from: encoding.markLength, type: type)
    }

    /// Decodes the bytes from `offset` on, which are text in UTF-8.
    func utf8(from offset: Int = 0, type: UniformType) throws(PasteboardError) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: span.extracting(offset...)))
        } catch {
            throw .unreadable(type, "invalid UTF-8 at byte \(offset + error.byteOffsets.lowerBound)")
        }
    }
}

/// Converts a text of `type` to UTF-8.
package func utf8Text(of data: Data, type: UniformType) throws(PasteboardError) -> Data {
    let encoding = TextEncoding(of: type, data.span)
    if encoding.name == TextEncoding.utf8.name {
        // The bytes remain unchanged, but are validated.
        _ = try data.text(of: type)
        return encoding.markLength == 0 ? data : Data(data.dropFirst(encoding.markLength))
    }
    var reader = TextReader(of: type)
    do throws(SystemError) {
        return Data(try reader.next(data.span) + reader.finish())
    } catch {
        throw .unreadable(type, "\(error)")
    }
}
