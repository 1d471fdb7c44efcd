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
enum Repository {
    /// The text of a file, without which nothing can be tested.
    static func text(_ path: String) -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else {
            fatalError("\(path) of the clone in which this program was built cannot be read")
        }
        return text
    }
}
