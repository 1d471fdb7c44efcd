import FoundationEssentials
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct ConnectionExecutorTests {
    /// A connection, and the broker at its other end.
    private struct Pair {
        let connection: PasteboardConnection
        let peer: ScriptedPeer

        init() throws {
            let pair = try Socket.pair()
            let own = DescriptorBox(try System.duplicate(pair.first.raw))
            peer = ScriptedPeer(try System.duplicate(pair.second.raw))
            connection = PasteboardConnection { _ in
                BrokerSocket(descriptor: try System.duplicate(own.raw), path: "test")
            }
            try peer.welcome()
        }

        func connect() async throws {
            _ = try await connection.liveConnection(for: Call("the test"))
        }

        func list() async throws {
            _ = try await Pasteboard(name: .general, connection: connection).contents()
        }

        func answerList() async throws {
            try await ThreadPool.files.value {
                let request = try peer.next(.list)
                var encoder = FrameMemory()
                encoder.append(Contents(), stream: request.stream)
                encoder.append(End(), stream: request.stream)
                try peer.write(encoder.bytes)
            }
        }

        /// Runs `body` in a task that prefers the executor.
        func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
            Task(executorPreference: connection.executor) { try await body() }
        }
    }

    /// The name of the current thread: `pasteboard` for that of a connection, `pasteboard-pool` for one of a pool.
    private static func threadName() -> String {
        let name = (try? Data(contentsOf: URL(filePath: "/proc/thread-self/comm"))) ?? Data()
        return String(decoding: name.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    @Test("A task that prefers the executor runs on the connection's thread, also after a result")
    func thread() async throws {
        let pair = try Pair()
        try await pair.connect()
        let names = pair.run {
            let before = Self.threadName()
            try await pair.list()
            return [before, Self.threadName()]
        }
        try await pair.answerList()
        #expect(try await names.value == ["pasteboard", "pasteboard"])
        await pair.connection.close()
    }

    @Test("A cancelled task continues on the executor with an error")
    func cancelled() async throws {
        let pair = try Pair()
        try await pair.connect()
        let task = pair.run {
            do {
                try await pair.list()
                return "no error"
            } catch let error as PasteboardError where error.code == .cancelled {
                return Self.threadName()
            }
        }
        _ = try await ThreadPool.files.value { try pair.peer.next(.list) }
        task.cancel()
        #expect(try await task.value == "pasteboard")
        await pair.connection.close()
    }

    @Test("Tasks begin in the order in which they were made")
    func order() async throws {
        let pair = try Pair()
        try await pair.connect()
        let gate = Semaphore()
        let begun = Lock<[Int]>([])
        let first = pair.run { gate.wait() }
        let tasks = (0..<50).map { number in pair.run { begun.withLock { $0.append(number) } } }
        gate.signal()
        try await first.value
        for task in tasks { try await task.value }
        #expect(begun.withLock { $0 } == Array(0..<50))
        await pair.connection.close()
    }

    @Test("Tasks that wait for the thread run when the connection is closed, and tasks that are made later run, too")
    func closed() async throws {
        let pair = try Pair()
        try await pair.connect()
        let gate = Semaphore()
        let first = pair.run { gate.wait() }
        let waiting = (0..<20).map { number in pair.run { number } }
        await pair.connection.close()
        let late = (20..<40).map { number in pair.run { number } }
        gate.signal()
        try await first.value
        var numbers: [Int] = []
        for task in waiting + late { numbers.append(try await task.value) }
        #expect(numbers == Array(0..<40))
    }

    @Test("Tasks run in order without a connection, and continue on its thread when it is there")
    func withoutConnection() async throws {
        let pair = try Pair()
        let begun = Lock<[Int]>([])
        let tasks = (0..<50).map { number in pair.run { begun.withLock { $0.append(number) } } }
        for task in tasks { try await task.value }
        #expect(begun.withLock { $0 } == Array(0..<50))
        let names = pair.run {
            let before = Self.threadName()
            try await pair.connect()
            // A task whose result is there before it waits, also that of a yield, does not leave its thread.
            while Self.threadName() == before { await Task.yield() }
            return [before, Self.threadName()]
        }
        #expect(try await names.value == ["pasteboard-pool", "pasteboard"])
        await pair.connection.close()
    }

    @Test("Tasks that never wait for the connection do not keep it from reading")
    func yielding() async throws {
        let pair = try Pair()
        try await pair.connect()
        let isListed = Lock(false)
        let yielding = pair.run {
            while !isListed.withLock(\.self) { await Task.yield() }
        }
        let listing = pair.run {
            try await pair.list()
            isListed.withLock { $0 = true }
        }
        try await pair.answerList()
        try await listing.value
        try await yielding.value
        await pair.connection.close()
    }

    #if DEBUG
    @Test("A job that blocks the thread is reported once, and a job that ends is not")
    func blocked() {
        let reports = Counter()
        let watch = BlockedThreadWatch { _ in reports.increment() }
        #expect(watch.jobBegins())
        #expect(watch.look())
        watch.jobEnds()
        #expect(!watch.jobBegins())
        #expect(watch.look())
        #expect(reports.value == 0)
        #expect(!watch.look())
        #expect(reports.value == 1)
        watch.jobEnds()
    }
    #endif
}
