import BrokerModel
import ProtocolVectors
import TestSupport
import Testing

/// The exchanges of earlier versions, played by the state of this broker.
@Suite(.pure) struct ReleasedStreamTests {
    @Test("The broker answers the frames of clients of an earlier version as the broker of that version did")
    func exchanges() throws {
        #expect(!ReleasedStreams.versions.isEmpty)
        for version in ReleasedStreams.versions {
            let files = try ["broker.hex", "transcripts.hex"].map { try ReleasedStreams.text($0, of: version) }
            let vectors = try files.flatMap { try VectorFile($0).vectors }
            #expect(vectors.count > 300)
            VectorTests.play(vectors)
        }
    }
}
