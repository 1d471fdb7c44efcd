import FoundationEssentials
import TestSupport

extension SeededGenerator {
    /// Uses a new seed, or that of `PASTEBOARD_TEST_SEED`. The seed is printed, so that it is known even after a crash.
    init(for test: String) {
        let given = ProcessInfo.processInfo.environment["PASTEBOARD_TEST_SEED"].flatMap { UInt64($0) }
        self.init(seed: given ?? UInt64.random(in: 1...0xFFFF_FFFF))
        print("\(test): PASTEBOARD_TEST_SEED=\(seed)")
    }

    mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
