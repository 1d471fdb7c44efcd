import BrokerState
import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerLoop

/// A broker that leaves contents on the disk when it ends. Each test is a process with a state directory of its own.
@Suite(.pure, .enabled(if: KeptBase.isPossible, "/dev/shm is no tmpfs")) struct DiskCopyTests {
    private struct Desk {
        let directory: TemporaryDirectory
        let socket: SocketPath

        init() throws {
            directory = try TemporaryDirectory()
            socket = SocketPath(directory["socket"])
            try System.setEnvironment("XDG_STATE_HOME", to: directory.path)
        }

        var names: [String] { directory.names(in: "pasteboard/kept") }

        /// Starts a broker whose kept directory is below `base`.
        func broker(
            in base: KeptBase,
            limit: UInt64 = 1 << 20,
            boot: Boot = .current()
        ) throws
            -> SteppedBroker
        {
            let broker = try SteppedBroker()
            // The outcome must not depend on the speed of the disk.
            var times = DiskCopy.Times()
            (times.open, times.read, times.write) = (600_000, 600_000, 600_000)
            broker.loop.beginSaving(
                in: try KeptDirectory(in: base.path, for: socket),
                disk: try DiskCopy(for: socket, limit: limit, times: times),
                boot: boot
            )
            return broker
        }

        func write(
            _ bytes: [UInt8],
            to board: String,
            of broker: SteppedBroker,
            _ terms: ContentTerms? = nil
        ) throws {
            let writer = try broker.connect()
            writer.queueWrite(bytes, to: board, terms)
            for _ in 0..<10 { try broker.step(sending: writer) }
        }

        func bytes(on board: String, of broker: SteppedBroker) throws -> [UInt8] {
            let frames = try broker.answer(Load(board), to: broker.connect(), turns: 9)
            return frames.filter { $0.kind == .data }.flatMap(\.payload)
        }

        func stop(_ broker: SteppedBroker) throws {
            _ = try broker.answer(Stop(), to: broker.connect(), turns: 6)
        }

        /// Leaves contents on the disk, whose kept directory is gone.
        func leave(_ bytes: [UInt8], limit: UInt64 = 1 << 20, _ terms: ContentTerms? = nil) throws {
            let base = try KeptBase()
            let broker = try broker(in: base, limit: limit)
            try write(bytes, to: "x", of: broker, terms)
            try stop(broker)
            withExtendedLifetime(base) {}
        }
    }

    @Test(
        "What was left at an end in order is read with an empty directory",
        arguments: [3, 100_000]
    )
    func read(size: Int) async {
        await #expect(processExitsWith: .success) { [size] in
            let desk = try Desk()
            try desk.leave([UInt8](repeating: 7, count: size))
            let base = try KeptBase()
            let bytes = try desk.bytes(on: "x", of: desk.broker(in: base))
            #expect(bytes == [UInt8](repeating: 7, count: size))
        }
    }

    @Test("Transient contents, and those over the limit, are left out")
    func leftOut() async {
        await #expect(processExitsWith: .success) {
            let desk = try Desk()
            var terms = ContentTerms()
            terms.isTransient = true
            try desk.leave([1], terms)
            #expect(desk.names.isEmpty)
            try desk.leave([UInt8](repeating: 1, count: 5_000), limit: 4_096)
            let base = try KeptBase()
            #expect(try desk.bytes(on: "x", of: desk.broker(in: base)) == [])
        }
    }

    @Test(
        "The first write makes the copy void, also that of a broker without the limit",
        arguments: [0, 1 << 20]
    )
    func void(limit: UInt64) async {
        await #expect(processExitsWith: .success) { [limit] in
            let desk = try Desk()
            try desk.leave([1])
            let base = try KeptBase()
            let broker = try desk.broker(in: base, limit: limit)
            #expect(desk.names.count == 1)
            try desk.write([2], to: "y", of: broker)
            // Its files are removed later, when the disk has taken that it has no name.
            let name = KeptDirectory.name(for: desk.socket)
            try await eventually("the removal of the copy") { !desk.names.contains(name) }
        }
    }

    @Test("A takeover leaves no copy")
    func takeover() async {
        await #expect(processExitsWith: .success) {
            let desk = try Desk()
            let base = try KeptBase()
            let broker = try desk.broker(in: base)
            try desk.write([1], to: "x", of: broker)
            broker.loop.beginTakeover()
            try broker.step(3)
            #expect(desk.names.isEmpty)
        }
    }
}
