import Glibc
import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure) struct SocketTests {
    @Test("A client connects to a listener at a path that only this user may use")
    func connects() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/socket"
        var listener = try ListeningSocket(path: path)
        #expect(try System.status(at: path)?.mode == 0o600)
        guard case .none = try listener.accept() else {
            Issue.record("nobody has connected yet")
            return
        }
        let client = try Socket.connect(path: path, deadline: .max)
        guard case .connection(let connection) = try listener.accept() else {
            Issue.record("a client has connected")
            return
        }
        try System.write([1, 2].span, to: client.raw)
        #expect(try System.read(connection.raw, upTo: 10) == [1, 2])

        let credentials = try PeerCredentials(of: connection.raw)
        #expect(credentials.process == System.processID && credentials.user == System.userID)
        // This process is at both ends.
        let other = try ProcessIdentity(peerOf: client.raw, credentials: try PeerCredentials(of: client.raw))
        #expect(try ProcessIdentity(peerOf: connection.raw, credentials: credentials) == other)
    }

    @Test("Missing, stale and overlong paths are different errors", .tags(.f72))
    func connectionErrors() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/socket"
        #expect(connectionError(path) == ENOENT)
        _ = try ListeningSocket(path: path)
        // A child that another test starts at this moment has a copy of the listener until it runs its program.
        let deadline = MonotonicClock.deadline(milliseconds: 30_000)
        while connectionError(path) == nil, MonotonicClock.millisecondsLeft(until: deadline) > 0 {}
        #expect(connectionError(path) == ECONNREFUSED)
        #expect(connectionError(path + String(repeating: "x", count: 200)) == ENAMETOOLONG)
        let error = #expect(throws: SystemError.self) { _ = try ListeningSocket(path: path) }
        #expect(error?.description == "bind \(path): Address already in use")
    }

    @Test("A connect to a broker that does not accept ends at the deadline", .tags(.f73))
    func fullQueue() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/socket"
        let listener = try ListeningSocket(path: path)
        #expect(listen(listener.raw, 0) == 0)
        let first = try Socket.connect(path: path, deadline: .max)
        #expect(connectionError(path, deadline: MonotonicClock.deadline(milliseconds: 5)) == ETIMEDOUT)
        #expect(first.raw >= 0)
    }

    private func connectionError(_ path: String, deadline: UInt64 = 0) -> CInt? {
        do throws(SystemError) {
            _ = try Socket.connect(path: path, deadline: deadline)
            return nil
        } catch {
            return error.errno
        }
    }

    @Test("Only a listening Unix socket is inherited, and it never waits", .tags(.f75))
    func inherits() throws {
        let directory = try TemporaryDirectory()
        let pipe = try System.pipe()
        let number = pipe.first.raw
        #expect(throws: SystemError.self) { _ = try ListeningSocket(inheriting: number) }
        let path = "\(directory.path)/socket"
        let original = try ListeningSocket(path: path)
        let raw = dup(original.raw)
        #expect(fcntl(raw, F_SETFL, 0) == 0)
        var listener = try ListeningSocket(inheriting: raw)
        guard case .none = try listener.accept() else {
            Issue.record("nobody has connected yet")
            return
        }
        let client = try Socket.connect(path: path, deadline: .max)
        guard case .connection = try listener.accept() else {
            Issue.record("a client has connected")
            return
        }
        #expect(client.raw >= 0)
    }

    @Test("A connection for which no descriptor is left gets the refusal and is closed, and the next ones are served")
    func refusesOverLimit() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/socket"
            var listener = try ListeningSocket(path: path, refusal: [7])
            let clients = try (0..<8).map { _ in DescriptorBox(try Socket.connect(path: path, deadline: .max)) }
            // Fills the table of descriptors up to a new, low limit.
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(2) }
            var fill: [DescriptorBox] = []
            while let next = try? System.duplicate(0) { fill.append(DescriptorBox(next)) }

            // Another thread of this process may have closed a descriptor meanwhile, which the next connection then
            // gets.
            var accepted: [DescriptorBox] = []
            while case .connection(let socket) = try listener.accept() { accepted.append(DescriptorBox(socket)) }
            guard accepted.count < clients.count - 1 else { exit(3) }
            let refused = clients[accepted.count].raw
            guard try System.read(refused, upTo: 10) == [7] else { exit(4) }
            guard try System.read(refused, upTo: 10) == [] else { exit(5) }
            fill.removeLast()
            guard case .connection = try listener.accept() else { exit(6) }
        }
    }

    @Test("A peer that closes a connection ends it, even if it has not read all bytes")
    func endWithUnreadBytes() throws {
        let pair = try Socket.pair()
        for end in [pair.first.raw, pair.second.raw] { try System.write([1, 2, 3].span, to: end) }
        let near = pair.keepingFirst()
        var descriptors: [DescriptorBox] = []
        let received = try (0..<2).map { _ in try Socket.receive(from: near.raw, upTo: 10, &descriptors) }
        #expect(received == [[1, 2, 3], []])
    }
}
