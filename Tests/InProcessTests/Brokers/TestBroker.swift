import FoundationEssentials
import PasteboardBroker
import PasteboardClient
import PasteboardKit
import PasteboardTransport
import TestSupport

/// A broker for one test, with its own socket. Its deadlines are too long to end any wait of a test.
struct TestBroker: Sendable {
    let directory: String
    private let running: Task<Void, any Error>

    private static let timeouts = ["first-byte": "10m", "progress": "10m", "hello": "10m"]

    private init(directory: String, limits: [String: String] = [:]) throws {
        self.directory = directory
        let broker = try Broker(
            socketPath: "\(directory)/socket",
            limits: Broker.Limits(Self.timeouts.merging(limits) { $1 })
        )
        running = Task { try await broker.run() }
    }

    /// Runs `body` with a broker, and ends the broker afterwards.
    static func with<Result>(
        limits: [String: String] = [:],
        _ body: (TestBroker) async throws -> Result
    ) async throws -> Result {
        let random = try System.randomBytes(8).map { String($0, radix: 16) }.joined()
        let directory = FileManager.default.temporaryDirectory.appending(path: "pasteboard-test-\(random)").path()
        let broker = try TestBroker(directory: directory, limits: limits)
        defer { try? FileManager.default.removeItem(atPath: broker.directory) }
        let result: Result
        do {
            result = try await body(broker)
        } catch {
            broker.running.cancel()
            throw error
        }
        try await broker.stop()
        return result
    }

    /// Runs `body` once the broker serves connections, for tests that block the threads on which it would start.
    static func serving<Result>(_ body: (TestBroker) async throws -> Result) async throws -> Result {
        try await with { broker in
            _ = try await broker.pasteboard().changeCount
            return try await body(broker)
        }
    }

    /// Ends the broker and waits until it has ended.
    func stop() async throws {
        running.cancel()
        try await running.value
    }

    /// Starts another broker with the socket path of this one, which must have ended.
    func restart() throws -> TestBroker {
        try TestBroker(directory: directory)
    }

    /// Connects a program to this broker.
    func connect(timeouts: ConnectionTimeouts = .endless, isAutomatic: Bool = false) -> PasteboardConnection {
        let path = "\(directory)/socket"
        return PasteboardConnection(isAutomatic: isAutomatic, timeouts: timeouts) { _ in
            let deadline = MonotonicClock.deadline(milliseconds: 600_000)
            return BrokerSocket(descriptor: try Socket.connect(path: path, deadline: deadline), path: path)
        }
    }

    /// The pasteboard as another program sees it.
    func pasteboard(_ name: Pasteboard.Name = .general) -> Pasteboard {
        Pasteboard(name: name, connection: connect())
    }
}

/// Runs the blocking calls of a test on a separate thread, because the broker needs the threads of tasks.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        do {
            try SystemThread(name: "peer") { continuation.resume(with: Swift.Result { try body() }) }.detach()
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
