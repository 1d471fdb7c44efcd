import CBenchFloor
import Glibc
import PasteboardTransport

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
    /// One load after the other, which a descriptor answers. Each ends when the bytes are mapped.
    case descriptor

    static let depth = 64
}

/// The loads of a destination.
struct LoadWork: Sendable {
    let shape: LoadShape
    let count: Int
    let bytes: Int

    /// The number of loads before the measured ones.
    var warmUpCount: Int { shape == .bulk ? 0 : max(1, count / 10 / LoadShape.depth) * LoadShape.depth }

    /// The number of connections of the destination.
    var connections: Int { shape == .connections ? LoadShape.depth : 1 }

    func check(_ received: Int) throws {
        guard received == bytes else { throw BenchError("received \(received) of \(bytes) bytes") }
    }
}

/// A measurement in the process of a destination, which begins when this value is created.
struct Measurement {
    private let relay: pid_t
    private let used: UInt64
    private let start = MonotonicClock.now()

    /// - Parameter relay: the process of the relay or broker, whose processor time is measured.
    init(relay: pid_t) {
        self.relay = relay
        used = bench_processor_time(relay)
    }

    /// Ends the measurement. Prints the median and the 99th percentile of the times of single loads, the whole time,
    /// and the processor time of the relay, in nanoseconds.
    func report(_ times: [UInt64]) throws {
        let whole = MonotonicClock.now() - start
        let used = bench_processor_time(relay) - used
        let sorted = times.isEmpty ? [0] : times.sorted()
        try Role.say("\(sorted[sorted.count / 2]) \(sorted[sorted.count * 99 / 100]) \(whole) \(used)")
    }
}
