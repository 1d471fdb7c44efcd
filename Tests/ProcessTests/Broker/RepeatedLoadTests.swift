import PasteboardTransport
import TestSupport
import Testing

/// Repeated loads and many bytes: leftovers must not add up.
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

    @Test("However many bytes pass through, the broker's memory does not grow", .tags(.f39))
    func flatMemory() throws {
        let desk = try Desk()
        let broker = try desk.startBroker()
        let count = thinned(128 << 20, full: 1 << 30)
        let offer = try desk.offer(["-t", "public.data=head -c \(count) /dev/zero"])
        defer { withExtendedLifetime(offer) {} }
        // Once before, so that one-time allocations are made.
        #expect(try desk.shell("pasteboard paste --timeout 10m | head -c 33554432 | wc -c").text == "33554432\n")
        let before = try Self.memory(of: broker)
        #expect(try desk.shell("pasteboard paste | wc -c").text == "\(count)\n")
        #expect(try Self.memory(of: broker) - before < 8 << 10)
    }

    /// The maximum resident memory of a process in KiB.
    nonisolated private static func memory(of process: Int32) throws -> Int {
        let status = String(decoding: try System.contents(of: "/proc/\(process)/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber)))
    }
}
