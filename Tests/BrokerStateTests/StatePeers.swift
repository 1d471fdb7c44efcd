import BrokerModel
import BrokerState
import PasteboardWire
import ProtocolVectors

/// Connections to a broker's state, which answers at once or not at all.
struct StatePeers: ExchangePeers {
    let broker = StateHarness(process: 4_000, programVersion: "1.0") { $0.keptPool = 1 << 30 }
    private var peers: [String: PeerID] = [:]
    private var frames: [String: [ReceivedFrame]] = [:]

    mutating func send(_ bytes: [UInt8], passing passed: PassedDescriptor?, from peer: String) {
        let id = peers[peer] ?? broker.connectSilently(process: 4_100)
        peers[peer] = id
        broker.sendBytes(bytes, passing: passed?.received, from: id)
    }

    mutating func next(for peer: String) throws(ExchangeFault) -> ReceivedFrame? {
        guard let id = peers[peer] else { throw ExchangeFault("\(peer) is not connected") }
        take(id, for: peer)
        // Some answers come when a time has passed.
        if frames[peer]?.isEmpty == true, !broker.closed.contains(id) {
            broker.advance(by: 100)
            take(id, for: peer)
        }
        guard let frame = frames[peer]?.first else {
            if broker.closed.contains(id) { return nil }
            throw ExchangeFault("nothing came", isSilence: true)
        }
        frames[peer]?.removeFirst()
        return frame
    }

    private mutating func take(_ id: PeerID, for peer: String) {
        frames[peer, default: []] += broker.take(id).map { frame in
            let header = FrameHeader(
                frame.kind,
                stream: frame.stream,
                length: frame.payload.count,
                flags: frame.last ? .last : .none,
                descriptorCount: frame.announcesDescriptor ? 1 : 0
            )
            return ReceivedFrame(header: header, payload: frame.payload, passed: frame.passing?.sort)
        }
    }

    mutating func close(_ peer: String) {
        if let id = peers[peer] { broker.disconnect(id) }
        peers[peer] = nil
    }
}

extension PassedDescriptor {
    fileprivate var received: ReceivedDescriptor {
        switch self {
        case .file: .readOnlyFile
        case .sealed: .sealedMemory(byteCount: 0)
        case .memory: .unusable("memory that is not sealed")
        case .pipe: .unusable("a pipe")
        }
    }
}

extension Outbox.Passing.Descriptor {
    /// The driver passes kept bytes as a sealed memory file.
    fileprivate var sort: PassedDescriptor {
        switch self {
        case .kept: .sealed
        case .received: .file
        }
    }
}
