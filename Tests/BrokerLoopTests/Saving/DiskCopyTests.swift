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

        /// The directory of the copy, and what is in it.
        var copies: String { "pasteboard/kept/\(KeptDirectory.name(for: socket))" }
        var names: [String] { directory.names(in: copies) }

        /// Starts a broker whose kept directory is below `base`.
        func broker(
            in base: KeptBase,
            limit: UInt64 = 1 << 20,
            boot: Boot = .current(),
            log: @escaping @Sendable (String) -> Void = { _ in }
        ) throws
            -> SteppedBroker
        {
            let broker = try SteppedBroker(log: log)
            // The outcome must not depend on the speed of the disk.
            var times = DiskCopy.Times()
            (times.open, times.read, times.write) = (600_000, 600_000, 600_000)
            try broker.loop.beginSaving(
                in: try KeptDirectory(in: base.path, for: socket),
                disk: try DiskCopy(for: socket, limit: limit, times: times).map { .copy($0) } ?? .none,
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
        ///
        /// - Parameter early: whether it is gone before the broker ends, as with the user's last session.
        func leave(
            _ bytes: [UInt8],
            limit: UInt64 = 1 << 20,
            _ terms: ContentTerms? = nil,
            early: Bool = false
        ) throws {
            let base = try KeptBase()
            let broker = try broker(in: base, limit: limit)
            try write(bytes, to: "x", of: broker, terms)
            if early { _ = try ChildProcess(.init(path: "/bin/rm", arguments: ["-rf", base.path])).wait() }
            try stop(broker)
            withExtendedLifetime(base) {}
        }
    }

    @Test(
        "What a broker left at its normal end is read with an empty directory",
        arguments: [3, 100_000],
        [false, true]
    )
    func read(size: Int, early: Bool) async {
        await #expect(processExitsWith: .success) { [size, early] in
            let desk = try Desk()
            try desk.leave([UInt8](repeating: 7, count: size), early: early)
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
            try await eventually("the removal of the copy") { desk.names.isEmpty }
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

    @Test("A copy is not written again as long as nothing changes, and what is left of others goes")
    func unchanged() async {
        await #expect(processExitsWith: .success) {
            let desk = try Desk()
            try desk.leave([1])
            func copy() throws -> UInt64? { try System.status(at: desk.directory["\(desk.copies)/copy"])?.inode }
            let before = try copy()
            for limit in [1 << 20, 0] as [UInt64] {
                for name in ["new", "void"] {
                    _ = try desk.directory.makeDirectory("\(desk.copies)/\(name)")
                    _ = try desk.directory.write([1], to: "\(desk.copies)/\(name)/b-1")
                }
                let base = try KeptBase()
                let broker = try desk.broker(in: base, limit: limit)
                try await eventually("the removal of remainders") { desk.names == ["copy"] }
                try desk.stop(broker)
                #expect(try copy() == before)
            }
        }
    }

    @Test("A start that was interrupted while it read the copy leaves that to the next one")
    func interrupted() async {
        await #expect(processExitsWith: .success) {
            let desk = try Desk()
            try desk.leave([1])
            let base = try KeptBase()
            do { _ = try desk.broker(in: base) }
            let kept = "\(base.path)/\(KeptDirectory.name(for: desk.socket))"
            try System.unlink("\(kept)/\(BoardFile.name(of: "x"))")
            try System.rename("\(kept)/current", to: "\(kept)/unread")
            #expect(try desk.bytes(on: "x", of: desk.broker(in: base)) == [1])
        }
    }

    @Test("After a restart of the machine, the time until contents expire goes on, also while it was off")
    func restarted() async {
        await #expect(processExitsWith: .success) {
            let desk = try Desk()
            var terms = ContentTerms()
            terms.expiresMilliseconds = 100_000_000
            try desk.leave([7], terms)
            let start = Boot.current().startedAt()
            for (milliseconds, bytes) in [(99_000_000, [UInt8(7)]), (101_000_000, [])] as [(UInt64, [UInt8])] {
                // This boot began that much later, and has lasted as long as the earlier one.
                let boot = Boot(id: "later") { start + milliseconds }
                let base = try KeptBase()
                #expect(try desk.bytes(on: "x", of: desk.broker(in: base, boot: boot)) == bytes, "\(milliseconds)")
            }
        }
    }

    @Test(
        "What cannot be left on the disk or read from it costs a line in the log, and nothing else",
        arguments: ["file", "link", "damaged"]
    )
    func hostile(kind: String) async {
        await #expect(processExitsWith: .success) { [kind] in
            let desk = try Desk()
            try desk.leave([1])
            let copy = "\(desk.copies)/copy"
            let path = desk.directory[copy]
            switch kind {
            case "damaged":
                try System.unlink("\(path)/\(BoardFile.name(of: "x"))")
                try desk.directory.write([255], to: "\(copy)/\(BoardFile.name(of: "x"))")
            default:
                try System.rename(path, to: "\(path).other")
                if kind == "file" { try desk.directory.write([1], to: copy) }
                if kind == "link" { try System.makeLink(to: "\(path).other", at: path) }
            }
            let lines = Lock<[String]>([])
            let base = try KeptBase()
            let broker = try desk.broker(in: base) { line in lines.withLock { $0.append(line) } }
            #expect(lines.withLock { $0 }.count { $0.contains(desk.directory.path) } == 1, "\(lines.withLock { $0 })")
            #expect(try desk.bytes(on: "x", of: broker) == [])
            try desk.write([2], to: "y", of: broker)
            #expect(try desk.bytes(on: "y", of: broker) == [2])
            // The end leaves a sound copy in its place.
            try desk.stop(broker)
            let next = try KeptBase()
            #expect(try desk.bytes(on: "y", of: desk.broker(in: next)) == [2])
        }
    }
}
