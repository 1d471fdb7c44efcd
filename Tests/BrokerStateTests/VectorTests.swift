import BrokerModel
import BrokerState
import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

/// The exchanges of `PasteboardWire/Vectors`, played by a broker's state.
@Suite("Vectors", .pure) struct VectorTests {
    @Test("The broker answers the frames of every exchange as shown")
    func exchanges() throws {
        let vectors = try VectorFile.broker().vectors + VectorFile.transcripts().vectors
        #expect(vectors.count > 300)
        Self.play(vectors)
    }

    static func play(_ vectors: [Vector]) {
        for vector in vectors {
            var player = ExchangePlayer(StatePeers())
            do {
                try player.play(vector)
            } catch {
                Issue.record("\(vector.rules) \(vector.title), line \(vector.line): \(error.text)")
            }
        }
    }
}

/// Connections to a broker's state, which answers at once or not at all.
private struct StatePeers: ExchangePeers {
    private let broker = StateHarness(process: 4_000, programVersion: "1.0") { $0.keptPool = 1 << 30 }
    private var peers: [String: PeerID] = [:]
    private var frames: [String: [Frame]] = [:]

    mutating func send(_ bytes: [UInt8], passesFile: Bool, from peer: String) {
        let id = peers[peer] ?? broker.connectSilently(process: 4_100)
        peers[peer] = id
        broker.sendBytes(bytes, passing: passesFile ? .readOnlyFile : nil, from: id)
    }

    mutating func next(for peer: String) throws(ExchangeFault) -> ReceivedFrame? {
        guard let id = peers[peer] else { throw ExchangeFault("\(peer) is not connected") }
        frames[peer, default: []] += broker.take(id)
        // Some answers come when a time has passed.
        if frames[peer]?.isEmpty == true, !broker.closed.contains(id) {
            broker.advance(by: 10)
            frames[peer, default: []] += broker.take(id)
        }
        guard let frame = frames[peer]?.first else {
            if broker.closed.contains(id) { return nil }
            throw ExchangeFault("nothing came", isSilence: true)
        }
        frames[peer]?.removeFirst()
        let header = FrameHeader(
            frame.kind,
            stream: frame.stream,
            length: frame.payload.count,
            flags: frame.last ? .last : .none,
            descriptorCount: frame.passing == nil ? 0 : 1
        )
        return ReceivedFrame(header: header, payload: frame.payload)
    }

    mutating func close(_ peer: String) {
        if let id = peers[peer] { broker.disconnect(id) }
        peers[peer] = nil
    }
}
