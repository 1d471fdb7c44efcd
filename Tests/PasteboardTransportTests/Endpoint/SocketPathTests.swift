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
            #expect(Bool(!first.wasLeft && !first.isReachable))
            try first.listen()
            #expect(Bool(first.isReachable))
            #expect(try System.status(at: path.directory)?.mode == 0o700)
            let error = #expect(throws: SocketPathError.self) { _ = try ClaimedSocket(claiming: path) }
            #expect(error == .held(lock: path.brokerLock, by: System.processID))
            #expect(BrokerLock.holder(of: path) == System.processID)

            first.withdraw()
            #expect(try System.status(at: path.path) == nil)
            // A successor starts while the first still has its connections.
            var second = try ClaimedSocket(claiming: path)
            try second.listen()
            first.withdraw()
            #expect(Bool(second.isReachable))
        }
        #expect(directory.names(in: "below/deeper").isEmpty)

        // The socket of a broker that was killed.
        try path.prepareDirectory()
        _ = try ListeningSocket(path: path.path)
        var third = try ClaimedSocket(claiming: path)
        #expect(Bool(third.wasLeft))
        try third.listen()
        #expect(Bool(third.isReachable))
    }

    @Test("A process that hands a path over keeps its socket there until another one has its own")
    func handsOver() throws {
        let directory = try TemporaryDirectory()
        let path = SocketPath("\(directory.path)/socket")
        var first = try ClaimedSocket(claiming: path)
        try first.listen()
        first.handOver()
        _ = try Socket.connect(path: path.path, deadline: 0)
        var second = try ClaimedSocket(claiming: path)
        #expect(Bool(second.wasLeft && first.isReachable))
        try second.listen()
        #expect(Bool(second.isReachable && !first.isReachable))
        // The socket of the other one stays.
        first.withdraw()
        #expect(Bool(second.isReachable))
    }

    @Test("A path that was handed over to nobody is removed")
    func handsOverInVain() throws {
        let directory = try TemporaryDirectory()
        var claimed = try ClaimedSocket(claiming: SocketPath("\(directory.path)/socket"))
        try claimed.listen()
        claimed.handOver()
        claimed.withdraw()
        #expect(directory.names(in: ".").isEmpty)
    }

    @Test("A file that has replaced the socket is not removed", .tags(.f70))
    func leavesOthersAlone() throws {
        let directory = try TemporaryDirectory()
        let path = SocketPath("\(directory.path)/socket")
        var claimed = try ClaimedSocket(claiming: path)
        try claimed.listen()
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
        #expect(throws: SocketPathError.unsafeDirectory(parent, .missing)) { try path.checkSocket() }

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
        "A client uses a socket that nobody else can replace, and that nobody else can connect to",
        arguments: [
            (0o700, 0o777, nil), (0o755, 0o600, nil), (0o744, 0o666, nil), (0o711, 0o700, nil),
            (0o755, 0o666, "other users can connect"), (0o711, 0o620, "other users can connect"),
            (0o775, 0o600, "other users can write"), (0o777, 0o600, "other users can write"),
            (0o1777, 0o600, "other users can write"),
        ] as [(mode_t, mode_t, String?)]
    )
    func clientSocket(directoryMode: mode_t, socketMode: mode_t, reason: String?) throws {
        let directory = try TemporaryDirectory()
        let parent = try directory.makeDirectory("parent")
        let path = SocketPath("\(parent)/socket")
        let socket = try ListeningSocket(path: path.path)
        #expect(chmod(path.path, socketMode) == 0 && chmod(parent, directoryMode) == 0)
        var refusal: SocketPathError?
        do throws(SocketPathError) { try path.checkSocket() } catch { refusal = error }
        #expect((refusal == nil) == (reason == nil))
        if let reason { #expect(refusal?.description.contains(reason) == true) }
        withExtendedLifetime(socket) {}
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
        let foreign = SocketPathError.unsafeDirectory(directory.path, .owned(by: 1))
        #expect(throws: foreign) { try path.prepareDirectory() }
        #expect(throws: foreign) { try path.checkSocket() }
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
        let boot = try System.bootID()
        let directory = try TemporaryDirectory()
        #expect(symlink(directory.path, directory["link"]) == 0 && symlink("missing", directory["dangling"]) == 0)
        for (environment, path) in [
            (["PASTEBOARD_SOCKET": "/a/b", "HOME": "/h"], "/a/b"),
            (["HOME": "/h"], "/h/.local/state/pasteboard/\(boot)/socket"),
            (["XDG_RUNTIME_DIR": directory.path], "\(directory.path)/pasteboard/socket"),
            (["XDG_RUNTIME_DIR": directory["link"]], "\(directory["link"])/pasteboard/socket"),
            // An empty variable counts as absent.
            (["PASTEBOARD_SOCKET": "", "XDG_RUNTIME_DIR": directory.path], "\(directory.path)/pasteboard/socket"),
            // They are not created, and neither are their parents: the next candidate is chosen.
            (["XDG_RUNTIME_DIR": directory["missing/run"], "HOME": "/h"], "/h/.local/state/pasteboard/\(boot)/socket"),
            (["XDG_RUNTIME_DIR": directory["dangling"], "HOME": "/h"], "/h/.local/state/pasteboard/\(boot)/socket"),
        ] as [([String: String], String)] {
            let endpoint = try WellKnownEndpoint(environment: { environment[$0] }, userID: .max - 7)
            #expect(try SocketPath(choosingFrom: endpoint).path == path)
        }
        let none = try WellKnownEndpoint(environment: { _ in nil }, userID: .max - 7)
        #expect(throws: SocketPathError.noCandidate) { _ = try SocketPath(choosingFrom: none) }
        #expect(SocketPath("/socket").directory == "/")
    }

    @Test("Below a link whose target is missing, the directory cannot be created, and the error names it")
    func dangling() throws {
        let directory = try TemporaryDirectory()
        #expect(symlink("missing", directory["dangling"]) == 0)
        let path = SocketPath(directory["dangling/pasteboard/socket"])
        let error = SocketPathError.notCreated(directory["dangling/pasteboard"])
        #expect(throws: error) { _ = try ClaimedSocket(claiming: path) }
        #expect(throws: error) { try path.prepareDirectory() }
        #expect(error.description.contains(directory["dangling/pasteboard"]))
        // Nobody can create a directory there, not even root.
        let named = SocketPath("/proc/pasteboard-test/socket", isWellKnown: false)
        #expect(throws: SocketPathError.notCreated("/proc/pasteboard-test")) { _ = try ClaimedSocket(claiming: named) }
    }

    @Test(
        "Root creates nothing in another user's directories, whose runtime directory is not used either",
        .enabled(if: System.userID == 0, "needs root, which alone may do that")
    )
    func foreign() throws {
        let directory = try TemporaryDirectory()
        let home = directory["home"]
        try System.makeDirectory(home)
        #expect(chown(home, 1, 1) == 0)
        let environment = ["XDG_RUNTIME_DIR": home, "HOME": home]
        let endpoint = try WellKnownEndpoint(environment: { environment[$0] }, userID: .max - 7)
        let path = try SocketPath(choosingFrom: endpoint)
        #expect(path.path.hasPrefix("\(home)/.local/state/"))
        let error = SocketPathError.foreignDirectory(home, owner: 1, for: path.directory)
        #expect(throws: error) { try path.prepareDirectory() }
        #expect(throws: SocketPathError.foreignDirectory(home, owner: 1, for: "\(home)/d")) {
            try SocketPath("\(home)/d/socket", isWellKnown: false).prepareDirectory()
        }
        #expect(throws: SocketPathError.self) {
            try SocketPath.createDirectory("\(home)/.local/state/pasteboard/spool")
        }
        #expect(try System.status(at: "\(home)/.local") == nil)
        // A link to such a directory is no way around that.
        #expect(symlink(home, directory["link"]) == 0 && lchown(directory["link"], 1, 1) == 0)
        #expect(throws: SocketPathError.self) { try SocketPath(directory["link/d/socket"]).prepareDirectory() }
        // Everybody may create directories in one that is open to all, as /tmp is.
        #expect(chmod(home, 0o1777) == 0)
        try SocketPath("\(home)/d/socket", isWellKnown: false).prepareDirectory()
        #expect(try System.status(at: "\(home)/d") != nil)
    }

    @Test(
        "An ordinary user whose environment is that of root gets an error that says what to do",
        .enabled(if: System.userID != 0, "needs an ordinary user, because root may create directories everywhere")
    )
    func ordinary() throws {
        // As `su` without `-` leaves it.
        let endpoint = try WellKnownEndpoint(
            environment: { ["XDG_RUNTIME_DIR": "/", "HOME": "/"][$0] },
            userID: .max - 7
        )
        let path = try SocketPath(choosingFrom: endpoint)
        let error = SocketPathError.foreignDirectory("/", owner: 0, for: path.directory)
        #expect(throws: error) { try path.prepareDirectory() }
        #expect(error.description.contains("su with -"))
    }

    @Test("A relative path in the environment causes an error that names the variable")
    func relative() {
        let error = #expect(throws: Failure.self) {
            try SocketPath.wellKnown { $0 == "PASTEBOARD_SOCKET" ? "a/b" : nil }
        }
        #expect(error?.text.contains("PASTEBOARD_SOCKET is 'a/b'") == true)
    }
}
