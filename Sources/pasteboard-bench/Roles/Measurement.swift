import CBenchFloor
import Glibc
import PasteboardTransport

/// The times that a destination measured, in nanoseconds.
struct Measurement {
    /// The times of single loads, if they were measured.
    private let times: [UInt64]
    private let whole: UInt64
    /// The processor time that the relay or the broker used.
    private let relay: UInt64

    /// Measures `body`, which runs in the process of the destination and returns the times of single loads.
    init(relay: pid_t, _ body: () throws -> [UInt64]) rethrows {
        let before = bench_processor_time(relay)
        let start = MonotonicClock.now()
        times = try body()
        whole = MonotonicClock.now() - start
        self.relay = bench_processor_time(relay) - before
    }

    /// Measures an asynchronous `body`.
    init(relay: pid_t, _ body: () async throws -> [UInt64]) async rethrows {
        let before = bench_processor_time(relay)
        let start = MonotonicClock.now()
        times = try await body()
        whole = MonotonicClock.now() - start
        self.relay = bench_processor_time(relay) - before
    }

    /// The median and the 99th percentile of single loads (or 0), the whole time, and the time of the relay.
    var numbers: [UInt64] {
        let sorted = times.sorted()
        guard let last = sorted.last else { return [0, 0, whole, relay] }
        let high = sorted.count * 99 / 100
        return [sorted[sorted.count / 2], high < sorted.count ? sorted[high] : last, whole, relay]
    }
}
