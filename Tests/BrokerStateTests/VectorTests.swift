import BrokerModel
import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

/// The exchanges of `Tests/ProtocolVectors/Exchanges` and of earlier versions, played by a broker's state.
@Suite("Vectors", .pure) struct VectorTests {
    @Test(
        "The broker answers the frames of every exchange as shown, and holds nothing when its peers have left",
        .tags(.f01, .f03, .f05, .f06, .f09, .f12, .f13, .f14, .f15, .f16, .f17, .f18, .f28, .f33, .f34, .f35, .f38),
        .tags(.f39, .f40, .f42, .f46, .f50, .f54, .f79, .f88)
    )
    func exchanges() throws {
        let vectors = try ExchangeFile.broker()
        #expect(vectors.count > 300)
        Self.play(vectors)
    }

    @Test("The broker answers the frames of clients of an earlier version as the broker of that version did")
    func released() throws {
        #expect(!ReleasedStreams.versions.isEmpty)
        for version in ReleasedStreams.versions {
            let names = ["broker", "transcripts", "client"]
            let files = try names.map { try ExchangeFile(try ReleasedStreams.text("\($0).exchange", of: version)) }
            // The words still stand for the bytes of that version.
            var digest = FrameDigest()
            for frame in files.flatMap(\.vectors).flatMap(\.frames) {
                for byte in frame.bytes { digest.add(UInt64(byte)) }
            }
            let recorded = try ReleasedStreams.text("exchanges.digest", of: version)
            #expect("\(digest.value)\n" == recorded)
            let vectors = files.dropLast().flatMap(\.vectors)
            #expect(vectors.count > 300)
            Self.play(vectors)
        }
    }

    private static func play(_ vectors: [Vector]) {
        for vector in vectors {
            let place = "\(vector.file):\(vector.line)"
            let peers = StatePeers(vector)
            var player = ExchangePlayer(peers)
            do {
                try player.play(vector)
            } catch {
                let step = error.step.map { "step \($0.number), line \($0.line): " } ?? ""
                Issue.record("\(place) \(vector.rules) \(vector.title): \(step)\(error.text)")
            }
            for broken in player.broken { Issue.record("\(place) \(broken.rule), \(broken.text)") }
            for broken in peers.broker.finish() { Issue.record("\(place) \(broken)") }
        }
    }
}
