import CBenchFloor
import Glibc
import PasteboardTransport

/// What a destination measured, in nanoseconds.
struct Measurement {
    /// Of single loads, where each was timed.
    private let times: [UInt64]
    private let whole: UInt64
    /// Processor time of the relay or the broker meanwhile.
    private let relay: UInt64

    /// Runs what is measured and nothing else, in the destination's process. `body` gives the times of single loads.
    init(relay: pid_t, _ body: () throws -> [UInt64]) rethrows {
        let before = bench_processor_time(relay)
        let start = MonotonicClock.now()
        times = try body()
        whole = MonotonicClock.now() - start
        self.relay = bench_processor_time(relay) - before
    }

    /// As above, for what waits in tasks.
    init(relay: pid_t, _ body: () async throws -> [UInt64]) async rethrows {
        let before = bench_processor_time(relay)
        let start = MonotonicClock.now()
        times = try await body()
        whole = MonotonicClock.now() - start
        self.relay = bench_processor_time(relay) - before
    }

    /// Median and 99th of a hundred of single loads (or 0), all of the time, the relay's.
    var numbers: [UInt64] {
        let sorted = times.sorted()
        guard let last = sorted.last else { return [0, 0, whole, relay] }
        let high = sorted.count * 99 / 100
        return [sorted[sorted.count / 2], high < sorted.count ? sorted[high] : last, whole, relay]
    }
}
