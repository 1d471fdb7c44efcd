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

    /// The number of connections of the destination.
    var connections: Int { self == .connections ? 64 : 1 }
    /// The number of concurrent loads on each.
    var depth: Int { self == .pipelined ? 64 : 1 }
}

/// The loads of a destination.
struct LoadWork: Sendable {
    let shape: LoadShape
    let count: Int
    let bytes: Int

    /// The number of loads before the measured ones.
    var warmUpCount: Int { shape == .bulk ? 0 : max(1, count / 10 / 64) * 64 }
}

/// A measurement in the process of a destination, which begins when this value is created.
struct Measurement {
    private let relay: pid_t
    private let used: UInt64
    private let start = MonotonicClock.now()

    /// - Parameter relay: the broker's process, whose processor time is measured.
    init(relay: pid_t) {
        self.relay = relay
        used = Self.processorTime(of: relay)
    }

    /// Ends the measurement. Prints the median and the 99th percentile of the times of single loads, the whole time,
    /// and the processor time of the relay, in nanoseconds.
    func report(_ times: [UInt64]) throws {
        let whole = MonotonicClock.now() - start
        let used = Self.processorTime(of: relay) - used
        let sorted = times.sorted()
        try Role.say("\(sorted[sorted.count / 2]) \(sorted[sorted.count * 99 / 100]) \(whole) \(used)")
    }

    private static func processorTime(of process: pid_t) -> UInt64 {
        var clock = clockid_t()
        var time = timespec()
        if clock_getcpuclockid(process, &clock) == 0 { clock_gettime(clock, &time) }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
