/// A frame of a transcript in the documentation.
package struct ShownFrame: Sendable {
    /// "source", "broker" or "destination".
    package let sender: String
    package let receiver: String
    package let kind: String
    /// The header and the payload.
    package fileprivate(set) var bytes: [UInt8] = []

    /// Parses a line such as `C1 source to broker: hello`.
    fileprivate init?(_ line: Substring) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 5, words[2] == "to", words[3].hasSuffix(":") else { return nil }
        (sender, receiver, kind) = (words[1], String(words[3].dropLast()), words[4])
    }
}

extension Document {
    /// The protocol's transcripts.
    package static var transcripts: Document {
        get throws { try Document("Sources/PasteboardWire/PasteboardWire.docc/ProtocolTranscripts.md") }
    }

    /// The frames of all transcripts, in order.
    package var frames: [ShownFrame] {
        var frames: [ShownFrame] = []
        for line in blocks("text").joined().split(separator: "\n") {
            if let frame = ShownFrame(line) {
                frames.append(frame)
            } else if !frames.isEmpty {
                let digits = line.prefix { $0 != ";" }.compactMap(\.hexDigitValue)
                for index in stride(from: 0, to: digits.count - 1, by: 2) {
                    frames[frames.count - 1].bytes.append(UInt8(digits[index] << 4 | digits[index + 1]))
                }
            }
        }
        return frames
    }
}
