import PasteboardTransport
import TestSupport
import Testing

/// Repeated loads: leftovers of a single load must not add up.
///
/// `PASTEBOARD_TEST_REPETITIONS` is the number of repetitions; `.ci/long` sets it to 10000.
@Suite(.processes) struct RepeatedLoadTests {
    private struct Holding {
        let descriptors: Int
        let threads: Int
        /// The memory in KiB.
        let memory: Int

        init(of peer: PeerProcess) throws {
            try peer.order("measure")
            let numbers = try peer.line().split(separator: " ").compactMap { Int($0) }
            try #require(numbers.count == 3)
            (descriptors, threads, memory) = (numbers[0], numbers[1], numbers[2])
        }
    }

    /// The number of loads that a peer makes for one order.
    private static let loads = 100
    /// Each load has 1 MiB: this much would remain after a hundred.
    private static let leak = 100 << 10
    /// The runtime opens a descriptor for its timers when it first needs one, which is later on a busy machine.
    private static let runtimeDescriptors = 2
    /// The pools' threads end after a while without work. One thread for each load would exceed this number.
    private static let threads = 64

    private static var repetitions: Int {
        System.environment("PASTEBOARD_TEST_REPETITIONS").flatMap(Int.init) ?? 100
    }

    @Test(
        "Repeated loads leak no descriptor, thread or memory",
        arguments: [
            "data", "object", "fileAsData", "file", "memory", "stream", "callback", "failing", "cancelledByProgress",
            "cancelledByTask", "letGo", "closed", "released",
        ]
    )
    func loads(kind: String) throws {
        let directory = try TemporaryDirectory()
        try BrokerProcess.run { broker in
            let open = try broker.openDescriptorCount()
            let peer = try broker.libraryRepeater([kind, "path=\(directory["file"])"])
            let before = try Holding(of: peer)
            // Once before, so that one-time allocations are made.
            try peer.order("go", expecting: "done")
            let memory = try Holding(of: peer).memory
            let isConnecting = ["closed", "released"].contains(kind)
            let repetitions = isConnecting ? Self.repetitions / 10 : Self.repetitions
            for _ in 0..<max(1, repetitions / Self.loads) { try peer.order("go", expecting: "done") }
            var after = try Holding(of: peer)
            // Descriptors are closed on a separate thread; each request allows it some time.
            let descriptors = before.descriptors + Self.runtimeDescriptors
            try eventually("the closing of all but \(descriptors) descriptors") {
                after = try Holding(of: peer)
                return after.descriptors <= descriptors
            }
            #expect(after.threads < Self.threads)
            #expect(Sanitizer.isActive || after.memory - memory < Self.leak / 2)
            try peer.end()
            try broker.expectDescriptors(backTo: open)
        }
    }
}
