import CBenchFloor
import Glibc

/// The order of loads.
enum LoadShape: String {
    /// One load after the other.
    case each
    /// 64 concurrent loads on one connection.
    case pipelined
    /// One load at a time on each of 64 connections.
    case connections
    /// One large load after the other; the bytes are discarded.
    case bulk

    static let depth = 64
}

/// The loads of a destination.
struct DestinationWork: Sendable {
    let shape: LoadShape
    let count: Int
    let bytes: Int
    /// The process whose processor time is measured.
    let relay: pid_t

    init(_ part: Part) throws {
        guard let shape = LoadShape(rawValue: try part.word(0)) else { throw BenchError("unknown shape of loads") }
        self.shape = shape
        count = try part.number(1)
        bytes = try part.number(2)
        relay = pid_t(truncatingIfNeeded: try part.number(3))
    }

    /// The number of loads before the measured ones.
    var warmUpCount: Int { max(1, count / 10 / LoadShape.depth) * LoadShape.depth }

    /// The number of connections of the destination.
    var connections: Int { shape == .connections ? LoadShape.depth : 1 }

    func check(_ received: Int) throws {
        guard received == bytes else { throw BenchError("received \(received) of \(bytes) bytes") }
    }
}

/// The destination of the floor.
struct FloorDestination {
    private let sockets: [CInt]
    private let work: DestinationWork

    init(_ socket: String, _ work: DestinationWork) {
        sockets = (0..<work.connections).map { _ in floor_connect(socket) }
        self.work = work
    }

    func measure() -> Measurement {
        if work.shape != .bulk { _ = load(work.warmUpCount) }
        return Measurement(relay: work.relay) { load(work.count) }
    }

    private func load(_ count: Int) -> [UInt64] {
        let bytes = UInt64(work.bytes)
        switch work.shape {
        case .each:
            var times = [UInt64](repeating: 0, count: count)
            floor_load_each(sockets[0], count, bytes, &times)
            return times
        case .pipelined: floor_load_pipelined(sockets[0], count, bytes, LoadShape.depth)
        case .connections: floor_load_connections(sockets, sockets.count, count, bytes)
        case .bulk: floor_load_pipelined(sockets[0], count, bytes, 1)
        }
        return []
    }
}
