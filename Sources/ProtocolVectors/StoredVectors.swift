import CProtocolVectors

extension VectorFile {
    /// Single frames, for decoders.
    package static func frames() throws(VectorError) -> VectorFile {
        try VectorFile(unsafe String(cString: pbv_frames()), name: "frames.hex")
    }

    /// The exchanges of `ProtocolTranscripts.md`.
    package static func transcripts() throws(VectorError) -> VectorFile {
        try VectorFile(unsafe String(cString: pbv_transcripts()), name: "transcripts.hex")
    }

    /// Exchanges that a broker must answer as shown.
    package static func broker() throws(VectorError) -> VectorFile {
        try VectorFile(unsafe String(cString: pbv_broker()), name: "broker.hex")
    }

    /// Answers of a broker that a client must judge as shown.
    package static func client() throws(VectorError) -> VectorFile {
        try VectorFile(unsafe String(cString: pbv_client()), name: "client.hex")
    }
}
