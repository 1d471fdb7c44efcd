import BrokerState
import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerLoop

/// A broker that saves contents in a directory of the test. A broker that is dropped has crashed.
@Suite(.pure, .enabled(if: KeptBase.isPossible, "/dev/shm is no tmpfs")) struct SavingTests {
    private let base: KeptBase
    private let directory: TemporaryDirectory
    private let socket: SocketPath

    init() throws {
        base = try KeptBase()
        directory = try TemporaryDirectory()
        socket = SocketPath(directory["socket"])
    }

    private var kept: String { "\(base.path)/\(KeptDirectory.name(for: socket))" }

    private func names(_ prefix: String) throws -> [String] {
        let opened = try System.open(kept, .directory)
        return try System.entries(of: opened.raw).map(\.description).filter { $0.hasPrefix(prefix) }
    }

    private func broker(limits: [String] = []) throws -> SteppedBroker {
        let broker = try SteppedBroker(limits: limits)
        try broker.loop.beginSaving(in: try KeptDirectory(in: base.path, for: socket), disk: .none)
        return broker
    }

    /// Writes, and returns the acknowledgement.
    @discardableResult
    private func write(
        _ bytes: [UInt8],
        to board: String,
        of broker: SteppedBroker,
        _ terms: ContentTerms? = nil,
        types: Int = 1
    ) throws -> Committed? {
        let writer = try broker.connect()
        writer.queueWrite(bytes, to: board, terms, count: types)
        for _ in 0..<100 {
            try broker.step(sending: writer)
            if let frame = try writer.hear().first(where: { $0.kind == .committed }) {
                return try frame.decoded(as: Committed.self)
            }
        }
        return nil
    }

    private func bytes(on board: String, of broker: SteppedBroker) throws -> [UInt8] {
        try broker.answer(Load(board), to: broker.connect(), turns: 20).filter { $0.kind == .data }
            .flatMap(\.payload)
    }

    /// The bytes that a successor serves after a crash of the broker that `body` uses.
    private func afterCrash(
        of board: String,
        _ body: (SteppedBroker) throws -> Void
    ) throws -> [UInt8] {
        do { try body(broker()) }
        return try bytes(on: board, of: broker())
    }

    @Test(
        "A successor serves the same bytes",
        .tags(.f86),
        arguments: [0, 3, 65_536, 65_537, 200_000]
    )
    func successor(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let found = try afterCrash(of: "x") {
            let committed = try write(bytes, to: "x", of: $0)
            #expect(committed?.isUnsaved == false)
        }
        #expect(found == bytes)
        #expect(try names("b-").count == 1)
        #expect(try names("r-").count == (size > 65_536 ? 1 : 0))
    }

    @Test("Contents that were replaced or cleared do not come back, and leave nothing", .tags(.f86))
    func replaced() throws {
        let large = [UInt8](repeating: 1, count: 100_000)
        let found = try afterCrash(of: "x") { broker in
            for board in ["x", "y"] { try write(large, to: board, of: broker) }
            try write([2], to: "x", of: broker)
            var clear = Clear()
            clear.board = "y"
            _ = try broker.answer(clear, to: broker.connect())
        }
        #expect(found == [2])
        #expect(try names("b-").count == 1)
        #expect(try names("r-").isEmpty)
    }

    @Test("Secrets are never in the directory")
    func secret() throws {
        var terms = ContentTerms()
        terms.isConcealed = true
        #expect(try afterCrash(of: "x") { try write([1], to: "x", of: $0, terms) } == [])
        #expect(try names("b-").isEmpty)
    }

    @Test("A start removes large files that nothing names")
    func unnamed() throws {
        do { try write([1], to: "x", of: broker()) }
        _ = try System.open("\(kept)/r-1", [.writing, .creating])
        #expect(try bytes(on: "x", of: broker()) == [1])
        #expect(try names("r-").isEmpty)
    }

    @Test(
        "A damaged file costs one pasteboard only",
        arguments: ["noise", "FIFO", "link", "short", "other"]
    )
    func damaged(kind: String) throws {
        do {
            let broker = try broker()
            for board in ["x", "y"] { try write([1, 2], to: board, of: broker) }
        }
        let file = "\(kept)/\(BoardFile.name(of: "x"))"
        let bytes = try System.contents(of: file)
        let other = try System.contents(of: "\(kept)/\(BoardFile.name(of: "y"))")
        try System.unlink(file)
        switch kind {
        case "FIFO": #expect(mkfifo(file, 0o600) == 0)
        case "link": #expect(symlink("\(kept)/\(BoardFile.name(of: "y"))", file) == 0)
        default:
            let new: [UInt8] = ["short": Array(bytes.dropLast()), "other": other][kind] ?? [255, 255]
            let written = try System.open(file, [.writing, .creating])
            try System.write(new.span, to: written.raw)
        }
        let successor = try broker()
        #expect(try self.bytes(on: "x", of: successor) == [])
        #expect(try self.bytes(on: "y", of: successor) == [1, 2])
    }

    @Test("With less room, a successor restores small contents first")
    func limits() throws {
        do {
            let broker = try broker()
            try write([UInt8](repeating: 1, count: 200_000), to: "large", of: broker)
            try write([2], to: "small", of: broker)
        }
        let successor = try broker(limits: ["kept-pool=150000"])
        #expect(try bytes(on: "small", of: successor) == [2])
        #expect(try bytes(on: "large", of: successor) == [])
    }

    @Test("Without a directory, each acknowledgement says that nothing is saved", .tags(.f84))
    func nowhere() throws {
        let broker = try SteppedBroker()
        try broker.loop.beginSaving(in: nil, disk: .none)
        #expect(try write([1], to: "x", of: broker)?.isUnsaved == true)
        #expect(try bytes(on: "x", of: broker) == [1])
    }

    @Test("The file of a pasteboard has at most 1 MiB of bytes; further small ones have files of their own")
    func manySmall() throws {
        let bytes = [UInt8](repeating: 9, count: 60_000)
        let found = try afterCrash(of: "x") { (broker) throws in
            #expect(try write(bytes, to: "x", of: broker, types: 30)?.isUnsaved == false)
        }
        #expect(found == bytes)
        #expect(try names("r-").count == 30 - (1 << 20) / 60_000)
        let file = try #require(try names("b-").first)
        #expect(try System.contents(of: "\(kept)/\(file)").count < (1 << 20) + 10_000)
    }

    @Test("A start that the system lets open nothing fails, and what is saved stays", .tags(.f53))
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            let scene = try SavingTests()
            do { try scene.write([1], to: "x", of: scene.broker()) }
            try scene.failToStart()
            #expect(try scene.bytes(on: "x", of: scene.broker()) == [1])
        }
    }

    private func failToStart() throws {
        let broker = try SteppedBroker()
        let directory = try KeptDirectory(in: base.path, for: socket)
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        var none = limits
        none.rlim_cur = 0
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        let error = #expect(throws: SystemError.self) {
            try broker.loop.beginSaving(in: directory, disk: .none)
        }
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        #expect(error?.errno == EMFILE)
    }

    /// Sets the size that a file of this process cannot exceed.
    private func limitFiles(to size: Int) {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
        limits.rlim_cur = rlim_t(size)
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits) == 0)
    }

    private func full() throws {
        let bytes = [UInt8](repeating: 7, count: 4_096)
        let found = try afterCrash(of: "x") { (broker) throws in
            // The bytes have room in a file of 4,096 bytes, but not together with their description.
            for (size, isUnsaved) in [(8_192, false), (4_096, true), (8_192, false), (4_096, true)] {
                limitFiles(to: size)
                #expect(try write(bytes, to: "x", of: broker)?.isUnsaved == isUnsaved)
                #expect(try self.bytes(on: "x", of: broker) == bytes)
                #expect(try names("b-").count == (isUnsaved ? 0 : 1))
                #expect(try names("new").isEmpty)
            }
        }
        #expect(found == [])
    }

    @Test(
        "What the file system has no room for is served, is acknowledged as unsaved, and nothing earlier comes back",
        .tags(.f84)
    )
    func tooSmall() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            try SavingTests().full()
        }
    }

    @Test("A stop names the reason why the disk could not be used at the start", .tags(.f63))
    func noDisk() throws {
        let broker = try SteppedBroker()
        let directory = try KeptDirectory(in: base.path, for: socket)
        let reason = "the disk does not answer"
        try broker.loop.beginSaving(in: directory, disk: .unusable(reason))
        try write([1], to: "x", of: broker)
        let frames = try broker.answer(Stop(), to: broker.connect(), turns: 6)
        #expect(try #require(frames.last).decoded(as: End.self).diskError == reason)
    }

    @Test("A file of the directory is linked if nobody can write it; memory is served, and is not saved")
    func passed() throws {
        let bytes = [UInt8](repeating: 7, count: 100_000)
        let broker = try broker()
        let opened = try System.open(kept, .directory)
        for (board, isSaved) in [("file", true), ("memory", false)] {
            var file: MemoryFile? = isSaved ? try MemoryFile(unnamedIn: opened.raw) : try MemoryFile()
            try file?.append(bytes.span)
            // The descriptor for writing is closed here.
            file = try file?.completed()
            let writer = try broker.connect(descriptors: true)
            writer.queueWrite(bytes, to: board, as: file)
            try broker.step(sending: writer)
            try broker.step(3)
            let frames = try writer.hear()
            let committed = try frames.first { $0.kind == .committed }?.decoded(as: Committed.self)
            #expect(committed?.isUnsaved == !isSaved, "\(board): \(frames.map(\.kind))")
            #expect(try self.bytes(on: board, of: broker) == bytes)
        }
    }
}
