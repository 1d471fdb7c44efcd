/// A frame as one line of text, for people who watch a connection: the kind, the stream, the fields, the descriptors.
///
/// Bytes of contents are shown as their number only. So are the tokens of a hello: a program that knows one sees what
/// other programs share with their group.
package struct FrameDescription: Sendable {
    /// The largest number of bytes of a malformed message that is shown.
    private static let shownBytes = 64

    package let text: String

    /// Describes a whole frame, or a `data` frame whose payload is not needed.
    package init(_ header: FrameHeader, payload: Span<UInt8>) {
        var text = "\(header.kind.map { "\($0)" } ?? "kind \(header.rawKind)") #\(header.stream)"
        var parts: [String] = []
        if let message = header.kind?.message {
            parts = Self.parts(of: message, payload)
        } else {
            parts = [ShownFields.count(Int(header.length), "byte")]
        }
        let others = header.flags.subtracting([.last, .mustUnderstand]).rawValue
        if header.flags.contains(.last) { parts.append("last") }
        if header.flags.contains(.mustUnderstand) { parts.append("must understand") }
        if others != 0 { parts.append("flags \(others)") }
        if header.version != FrameHeader.version { parts.append("version \(header.version)") }
        if !parts.isEmpty { text += " " + parts.joined(separator: ", ") }
        if header.descriptorCount > 0 { text += " +" + ShownFields.count(Int(header.descriptorCount), "descriptor") }
        self.text = text
    }

    private static func parts(of message: any WireMessage.Type, _ payload: Span<UInt8>) -> [String] {
        do throws(Failure) {
            // The whole message, too: it may break a rule that none of its fields breaks alone.
            _ = try message.init(decoding: payload)
            return FieldDecoder.withFields(of: payload, 0..<payload.count) { ShownFields.texts(of: message, in: $0) }
        } catch {
            let size = ShownFields.count(payload.count, "byte")
            // A part of a hello may be a token, and a part of an item a program's own bytes.
            guard message != Hello.self, message != Item.self else {
                return ["malformed (\(error.text.visible))", "\(size), not shown"]
            }
            let isLong = payload.count > shownBytes
            let bytes = payload.extracting(first: shownBytes)
            var digits: [String] = []
            for index in bytes.indices {
                digits.append((bytes[index] < 16 ? "0" : "") + String(bytes[index], radix: 16))
            }
            return [
                "malformed (\(error.text.visible))", "\(size): \(digits.joined(separator: " "))\(isLong ? " …" : "")",
            ]
        }
    }
}
