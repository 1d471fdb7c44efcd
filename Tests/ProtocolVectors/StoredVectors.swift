import FoundationEssentials

extension VectorFile {
    /// Single frames, for decoders.
    package static func frames() throws(VectorError) -> VectorFile {
        try VectorFile(stored: "frames.hex")
    }

    /// The exchanges of `ProtocolTranscripts.md`.
    package static func transcripts() throws(VectorError) -> VectorFile {
        try VectorFile(stored: "transcripts.hex")
    }

    /// Exchanges that a broker must answer as shown.
    package static func broker() throws(VectorError) -> VectorFile {
        try VectorFile(stored: "broker.hex")
    }

    /// Answers of a broker that a client must judge as shown.
    package static func client() throws(VectorError) -> VectorFile {
        try VectorFile(stored: "client.hex")
    }

    private init(stored name: String) throws(VectorError) {
        try self.init(Repository.text("Tests/ProtocolVectors/Files/\(name)"), name: name)
    }
}

/// The clone in which this file was compiled.
package enum Repository {
    package static let schema = "Sources/PasteboardWire/pasteboard.proto"
    package static let frameKinds = "Sources/PasteboardWire/frame-kinds.tsv"

    package static func path(_ relative: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../\(relative)").path
    }

    /// The text of a file, without which nothing can be tested.
    package static func text(_ relative: String) -> String {
        guard let text = try? String(contentsOfFile: path(relative), encoding: .utf8) else {
            fatalError("\(relative) of the clone in which this program was built cannot be read")
        }
        return text
    }
}
