import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct LimitsTests {
    @Test("The default limits have these values")
    func defaults() {
        let limits = BrokerLimits()
        let expected: [String: UInt64] = [
            "hello": 5_000, "first-byte": 30_000, "progress": 10_000, "keep-alive": 600_000,
            "longest-load": 86_400_000, "drain": 5_000, "idle-exit": 0, "connections": 16_384,
            "connections-per-process": 4_096,
            "loads-per-connection": 128, "asks-per-source": 128, "waiting-per-source": 1_024, "boards": 1_024,
            "objects": 1_048_576, "metadata": 67_108_864, "metadata-per-publication": 1_048_576,
            "metadata-per-session": 262_144, "proposal": 500, "drop-window": 5_000, "conclude": 30_000,
            "session": 600_000, "sessions": 1_024, "sessions-per-process": 128,
            "destinations": 1_024, "destinations-per-process": 128, "watches": 16_384, "watches-per-process": 4_096,
            "control-queue": 1_048_576, "control-pool": 67_108_864, "transfer-pool": 67_108_864,
            "kept-pool": 268_435_456,
            "kept-representations": 4_096, "kept-on-disk": 0, "passed-descriptors": 256,
        ]
        let actual = BrokerLimits.entries.map { ($0.name, limits[keyPath: $0.path]) }
        #expect(Dictionary(uniqueKeysWithValues: actual) == expected)
    }

    @Test(
        "A limit is set by name, with the suffixes of its unit",
        arguments: [
            ("hello=10m", "hello", 600_000), (" progress = 250ms ", "progress", 250),
            ("first-byte=1ms", "first-byte", 1),
            ("drain=2s", "drain", 2_000), ("longest-load=2h", "longest-load", 7_200_000), ("boards=7", "boards", 7),
            ("kept-pool=3GiB", "kept-pool", 3 << 30), ("metadata = 2MiB", "metadata", 2 << 20),
            ("control-queue=64KiB", "control-queue", 65_536), ("objects=18446744073709551615", "objects", UInt64.max),
            ("kept-pool = 1 MiB", "kept-pool", 1 << 20), ("kept-pool=1.5 MiB", "kept-pool", 3 << 19),
            ("kept-pool=512 bytes", "kept-pool", 512), ("drain=1.25s", "drain", 1_250), ("drain=1 s", "drain", 1_000),
            ("drain=1m30s", "drain", 90_000), ("session=1d", "session", 86_400_000),
            ("idle-exit=0", "idle-exit", 0), ("drain=0", "drain", 0), ("watches=0", "watches", 0),
        ] as [(String, String, UInt64)]
    )
    func set(_ text: String, _ name: String, _ value: UInt64) throws {
        var limits = BrokerLimits()
        let entry = try #require(BrokerLimits.entries.first { $0.name == name })
        try limits.set(text)
        #expect(limits[keyPath: entry.path] == value)
        limits[keyPath: entry.path] = BrokerLimits()[keyPath: entry.path]
        #expect(limits == BrokerLimits())
    }

    @Test(
        "An unknown limit or an invalid value is refused and changes nothing",
        arguments: [
            "", "=", "hello", "hello=", "hello=-1", "hello=.s", "hello=1.2.3s", "hello=1.5", "hello=1KiB", "hello= s",
            "boards=1s", "boards=1.0",
            "boards=1 000", "Hello=1",
            "nothing=1", "hello=30", "idle-exit=30", "hello=0", "first-byte=0s", "connections=0", "control-pool=0",
            "kept-pool=17179869184GiB", "kept-pool=18446744073709551616", "hello=٣",
        ]
    )
    func refused(_ text: String) {
        var limits = BrokerLimits()
        #expect(throws: Failure.self) { try limits.set(text) }
        #expect(limits == BrokerLimits())
    }

    @Test("The greatest values of all limits cause no overflow", .tags(.f15))
    func greatest() {
        let broker = StateHarness { limits in
            for entry in BrokerLimits.entries { limits[keyPath: entry.path] = .max }
        }
        let source = broker.connect()
        let destination = broker.connect()
        broker.promise("a", from: source)
        broker.load(from: destination, credit: .max)
        broker.load(from: destination, credit: .max) { $0.timeoutMilliseconds = .max }
        let asks = broker.takeAsks(source)
        broker.data([1], on: asks[0], from: source)
        broker.advance(by: 1 << 40)
        broker.drain()
        broker.data([1], last: true, on: asks[0], from: source)
        #expect(broker.take(destination).ends.count == 2)
    }
}
