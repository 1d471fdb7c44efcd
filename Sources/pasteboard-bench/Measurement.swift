import CBenchFloor
import Glibc
import PasteboardTransport

/// What one run of a case gave, in nanoseconds.
struct Measurement {
    /// Of one load: the median and the 99th of a hundred; of other shapes the whole time, twice.
    let median: UInt64
    let high: UInt64
    /// Processor time of the relay or the broker meanwhile.
    let relay: UInt64

    /// Runs what is measured and nothing else, in the destination's process. Without times of single loads, `body`'s
    /// whole time counts.
    init(relay: pid_t, _ body: () throws -> [UInt64]) rethrows {
        let before = bench_processor_time(relay)
        let start = MonotonicClock.now()
        let times = try body()
        let whole = MonotonicClock.now() - start
        self.init(times.isEmpty ? [whole] : times, relay: bench_processor_time(relay) - before)
    }

    /// As above, for what waits in tasks.
    init(relay: pid_t, _ body: () async throws -> [UInt64]) async rethrows {
        let before = bench_processor_time(relay)
        let start = MonotonicClock.now()
        let times = try await body()
        let whole = MonotonicClock.now() - start
        self.init(times.isEmpty ? [whole] : times, relay: bench_processor_time(relay) - before)
    }

    private init(_ times: [UInt64], relay: UInt64) {
        let sorted = times.sorted()
        self.median = sorted[sorted.count / 2]
        self.high = sorted[sorted.count * 99 / 100]
        self.relay = relay
    }

    /// Reads what `line` says; nil for anything else.
    init?(line: String) {
        let numbers = line.split(separator: " ").compactMap { UInt64($0) }
        guard numbers.count == 3 else { return nil }
        self.median = numbers[0]
        self.high = numbers[1]
        self.relay = numbers[2]
    }

    var line: String { "\(self.median) \(self.high) \(self.relay)" }
}
