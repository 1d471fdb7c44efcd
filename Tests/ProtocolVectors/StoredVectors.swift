import FoundationEssentials

extension VectorFile {
    /// Single frames, for decoders.
    package static func frames() throws(VectorError) -> VectorFile {
        try VectorFile(Repository.text("Tests/ProtocolVectors/frames.hex"), name: "frames.hex")
    }
}

extension ExchangeFile {
    package static let directory = "Tests/ProtocolVectors/Exchanges"
    /// The chapters of the protocol, in the order of the articles. The first exchange only connects.
    package static let chapters = [
        "Connection", "Frames", "Streams", "Messages", "Names", "Writes", "Loads", "Asks", "Requests", "Descriptors",
        "Deadlines", "Terms", "Kept", "Additions", "Reclaims", "Watches", "Boards", "Links", "DragSessions",
        "Transcripts",
    ]

    /// Exchanges that a broker must answer as shown.
    package static func broker() throws(VectorError) -> [Vector] {
        let scenes = try stored("Scenes")
        var vectors: [Vector] = []
        for chapter in chapters { vectors += try stored(chapter, scenes: scenes).vectors }
        return vectors
    }

    /// The exchanges of `ProtocolTranscripts.md`.
    package static func transcripts() throws(VectorError) -> [Vector] {
        try stored("Transcripts").vectors
    }

    /// Answers of a broker that a client must judge as shown.
    package static func client() throws(VectorError) -> [Vector] {
        try stored("Client").vectors
    }

    private static func stored(_ name: String, scenes: ExchangeFile? = nil) throws(VectorError) -> ExchangeFile {
        let file = "\(name).exchange"
        return try ExchangeFile(Repository.text("\(directory)/\(file)"), name: file, scenes: scenes)
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
