import BrokerModel
import BrokerState
import PasteboardWire
import ProtocolVectors
import Testing

/// Connections to a broker's state, which answers at once or not at all.
struct StatePeers: ExchangePeers {
    let broker: StateHarness
    /// The processes of peers. The others are all in one.
    private let processes: [String: UInt32]
    /// Whether time passes only when the exchange says so.
    private let isTimed: Bool
    private var peers: [String: PeerID] = [:]
    private var frames: [String: [ReceivedFrame]] = [:]

    init(_ vector: Vector? = nil) {
        broker = StateHarness(process: 4_000, programVersion: "1.0") { limits in
            limits.keptPool = 1 << 30
            for (name, value) in vector?.limits ?? [:] {
                #expect(throws: Never.self) { try limits.set("\(name)=\(value)") }
            }
        }
        processes = vector?.processes ?? [:]
        isTimed = vector?.isInternal == true
    }

    mutating func send(_ bytes: [UInt8], passing passed: PassedDescriptor?, from peer: String) {
        let id = peers[peer] ?? broker.connectSilently(process: processes[peer] ?? 4_100)
        peers[peer] = id
        broker.sendBytes(bytes, passing: passed?.received, from: id)
    }

    mutating func next(for peer: String) throws(ExchangeFault) -> ReceivedFrame? {
        guard let id = peers[peer] else { throw ExchangeFault("\(peer) is not connected") }
        take(id, for: peer)
        // Some answers come when a time has passed.
        if frames[peer]?.isEmpty == true, !isTimed, !broker.closed.contains(id) {
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

    func pass(milliseconds: UInt64) {
        broker.advance(by: milliseconds)
    }

    func held(_ name: String) throws(ExchangeFault) -> UInt64 {
        let words = name.split(separator: "-").map(String.init)
        let label = words.dropFirst().reduce(words.first ?? "") { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
        if label == "memory" { return UInt64(broker.openMemory) }
        switch Mirror(reflecting: broker.held).children.first(where: { $0.label == label })?.value {
        case let count as Int: return UInt64(count)
        case let count as UInt64: return count
        default: throw ExchangeFault("the broker holds nothing of the name '\(name)'")
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
