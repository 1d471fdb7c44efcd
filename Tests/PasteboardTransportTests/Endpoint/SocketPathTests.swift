import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct SocketPathTests {
    @Test("One process at a time serves a path, and a successor takes over the files of a dead one")
    func claims() throws {
        let directory = try TemporaryDirectory()
        let path = SocketPath("\(directory.path)/below/deeper/socket")
        do {
            var first = try ClaimedSocket(claiming: path)
            #expect(Bool(first.isReachable))
            #expect(try System.status(at: path.directory)?.mode == 0o700)
            let error = #expect(throws: SocketPathError.self) { _ = try ClaimedSocket(claiming: path) }
            #expect(error == .held(lock: path.brokerLock, by: System.processID))
            #expect(BrokerLock.holder(of: path) == System.processID)

            first.withdraw()
            #expect(try System.status(at: path.path) == nil)
            // A successor starts while the first still has its connections.
            let second = try ClaimedSocket(claiming: path)
            first.withdraw()
            #expect(Bool(second.isReachable))
        }
        // Nothing is left, not even the directory, which was created here.
        #expect(try System.status(at: path.directory) == nil)

        // The socket of a broker that was killed.
        try path.prepareDirectory()
        _ = try ListeningSocket(path: path.path)
        let third = try ClaimedSocket(claiming: path)
        #expect(Bool(third.isReachable))
    }

    @Test("A file that has replaced the socket is not removed", .tags(.f70))
    func leavesOthersAlone() throws {
        let directory = try TemporaryDirectory()
        let path = SocketPath("\(directory.path)/socket")
        var claimed = try ClaimedSocket(claiming: path)
        try System.unlink(path.path)
        let other = try System.open(path.path, [.writing, .exclusive])
        #expect(Bool(!claimed.isReachable))
        claimed.withdraw()
        #expect(try System.status(at: path.path)?.isSameFile(as: System.status(of: other.raw)) == true)
        let error = #expect(throws: SocketPathError.self) { _ = try ClaimedSocket(claiming: path) }
        #expect(error == .occupied(path.path))
    }

    @Test("A directory that others may enter, or a file in its place, is refused with its reason")
    func refusesUnsafeDirectories() throws {
        let directory = try TemporaryDirectory()
        let parent = "\(directory.path)/parent"
        let path = SocketPath("\(parent)/socket")
        #expect(throws: SocketPathError.unsafeDirectory(parent, .missing)) { try path.checkDirectory() }

        try path.prepareDirectory()
        #expect(chmod(parent, 0o750) == 0)
        let error = #expect(throws: SocketPathError.self) { try path.prepareDirectory() }
        #expect(error == .unsafeDirectory(parent, .open(mode: 0o750)))
        #expect(error?.description.contains("chmod 700 '\(parent)'") == true)

        #expect(symlink(directory.path, "\(directory.path)/link") == 0)
        let linked = SocketPath("\(directory.path)/link/socket")
        #expect(throws: SocketPathError.unsafeDirectory("\(directory.path)/link", .notADirectory)) {
            try linked.prepareDirectory()
        }
    }

    @Test(
        "A directory of another user is refused",
        .tags(.f70),
        .enabled(if: System.userID == 0, "needs root, which alone can make one")
    )
    func refusesForeignDirectories() throws {
        let directory = try TemporaryDirectory()
        let path = SocketPath("\(directory.path)/socket")
        #expect(chown(directory.path, 1, 1) == 0)
        #expect(throws: SocketPathError.unsafeDirectory(directory.path, .owned(by: 1))) { try path.prepareDirectory() }
    }

    @Test("A lock whose file was replaced during the wait does not count as the lock of that path")
    func replacedLock() throws {
        let directory = try TemporaryDirectory()
        let path = SocketPath("\(directory.path)/socket")
        var first: BrokerLock? = try BrokerLock(of: path)
        try System.unlink(path.brokerLock)
        // A second lock of the same name. The first must not remove its file.
        let second = try BrokerLock(of: path)
        _ = first.take()
        #expect(throws: SocketPathError.held(lock: path.brokerLock, by: System.processID)) {
            _ = try BrokerLock(of: path)
        }
        withExtendedLifetime(second) {}
    }

    @Test("Of many that claim a path after others have removed it, one at a time serves it", .tags(.f69))
    func contended() async throws {
        let directory = try TemporaryDirectory()
        let path = SocketPath("\(directory.path)/d/socket", isWellKnown: false)
        let holders = Holders()
        let claims = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var claims = 0
                    for _ in 0..<200 {
                        guard let claimed = try? ClaimedSocket(claiming: path) else { continue }
                        claims += 1
                        let count = holders.count.withLock { count in
                            count += 1
                            return count
                        }
                        #expect(count == 1)
                        holders.count.withLock { $0 -= 1 }
                        withExtendedLifetime(claimed) {}
                    }
                    return claims
                }
            }
            return await group.reduce(0, +)
        }
        #expect(claims > 0)
        #expect(try System.status(at: path.brokerLock) == nil)
        #expect(try System.status(at: path.path) == nil)
    }

    private final class Holders: Sendable {
        let count = Lock(0)
    }

    @Test("The lock is not taken through a symbolic link")
    func lockIsNotALink() throws {
        let directory = try TemporaryDirectory()
        let path = SocketPath("\(directory.path)/socket")
        #expect(symlink("\(directory.path)/victim", path.brokerLock) == 0)
        #expect(throws: SocketPathError.self) { _ = try BrokerLock(of: path) }
        #expect(try System.status(at: "\(directory.path)/victim") == nil)
    }

    @Test("A client that wants to start a broker waits for the one that is starting it, until the deadline")
    func startLock() throws {
        let directory = try TemporaryDirectory()
        let path = SocketPath("\(directory.path)/socket")
        var first: StartLock? = try StartLock(of: path, deadline: 0)
        #expect(throws: SocketPathError.held(lock: path.startLock, by: nil)) {
            _ = try StartLock(of: path, deadline: MonotonicClock.deadline(milliseconds: 5))
        }
        _ = first.take()
        _ = try StartLock(of: path, deadline: 0)
    }

    @Test("The first usable candidate is chosen")
    func chooses() throws {
        let named = try WellKnownEndpoint(
            environment: { $0 == "PASTEBOARD_SOCKET" ? "/a/b" : nil },
            userID: 1,
            bootID: "x"
        )
        #expect(try SocketPath(choosingFrom: named).path == "/a/b")
        let nobody = UInt32.max - 7
        let home = try WellKnownEndpoint(environment: { $0 == "HOME" ? "/h" : nil }, userID: nobody, bootID: "x")
        #expect(try SocketPath(choosingFrom: home).path == "/h/.local/state/pasteboard/x/socket")
        let directory = try TemporaryDirectory()
        for (name, socket) in [
            (directory.path, "\(directory.path)/pasteboard/socket"),
            // It is not created, and neither are its parents: the next candidate is chosen.
            ("\(directory.path)/missing/run", "/h/.local/state/pasteboard/x/socket"),
        ] {
            let runtime = try WellKnownEndpoint(
                environment: { ["XDG_RUNTIME_DIR": name, "HOME": "/h"][$0] },
                userID: nobody,
                bootID: "x"
            )
            #expect(try SocketPath(choosingFrom: runtime).path == socket)
        }
        let none = try WellKnownEndpoint(environment: { _ in nil }, userID: nobody, bootID: "x")
        #expect(throws: SocketPathError.noCandidate) { _ = try SocketPath(choosingFrom: none) }
        #expect(SocketPath("/socket").directory == "/")
    }

    @Test(
        "The well-known path follows the environment, and an empty variable counts as absent",
        arguments: [
            (["PASTEBOARD_SOCKET": "/a/b", "XDG_RUNTIME_DIR": "/proc"], "/a/b"),
            (["PASTEBOARD_SOCKET": "", "XDG_RUNTIME_DIR": "/proc"], "/proc/pasteboard/socket"),
        ] as [([String: String], String)]
    )
    func wellKnown(environment: [String: String], path: String) throws {
        #expect(try SocketPath.wellKnown { environment[$0] }.path == path)
    }

    @Test("A relative path in the environment causes an error that names the variable")
    func relative() {
        let error = #expect(throws: Failure.self) {
            try SocketPath.wellKnown { $0 == "PASTEBOARD_SOCKET" ? "a/b" : nil }
        }
        #expect(error?.text.contains("PASTEBOARD_SOCKET is 'a/b'") == true)
    }
}
