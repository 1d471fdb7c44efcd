import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The exchanges of `ProtocolTranscripts.md`, played by a broker.
@Suite("ProtocolTranscripts.md", .pure) struct TranscriptTests {
    @Test(
        "The broker answers the frames of source and destination with the frames that are shown",
        arguments: ["C", "P", "M"]
    )
    func exchange(_ letter: Character) throws {
        let broker = StateHarness(process: 4_000, programVersion: "1.0") { $0.keptPool = 1 << 30 }
        var peers: [String: PeerID] = [:]
        var sent: [String: [[UInt8]]] = [:]
        var shown: [String: [ShownFrame]] = [:]
        let frames = try Document.transcripts.frames.filter { $0.name.first == letter }
        #expect(frames.count > 10)
        for frame in frames {
            guard frame.sender != "broker" else {
                shown[frame.receiver, default: []].append(frame)
                continue
            }
            let process: UInt32 = frame.sender == "source" ? 4_100 : 4_200
            let peer = peers[frame.sender] ?? broker.connectSilently(process: process)
            peers[frame.sender] = peer
            let header = FrameHeader(frame.bytes.span, at: 0)
            let passesFile = header.map { $0.descriptorCount == 1 } ?? false
            broker.sendBytes(frame.bytes, passing: passesFile ? .readOnlyFile : nil, from: peer)
            for (name, peer) in peers { sent[name, default: []] += broker.take(peer).map(\.bytes) }
        }
        for (name, expected) in shown {
            let actual = sent[name] ?? []
            for (frame, bytes) in zip(expected, actual) {
                #expect(frame.bytes == bytes, "\(frame.name) to the \(name)")
            }
            #expect(actual.count == expected.count, "\(letter) to the \(name)")
        }
        #expect(broker.closed.isEmpty)
    }
}

extension Frame {
    /// The header and the payload.
    fileprivate var bytes: [UInt8] {
        var encoder = FrameEncoder()
        let header = FrameHeader(
            kind,
            stream: stream,
            length: payload.count,
            flags: last ? .last : .none,
            descriptorCount: passing == nil ? 0 : 1
        )
        encoder.append(header: header)
        return encoder.bytes + payload
    }
}
