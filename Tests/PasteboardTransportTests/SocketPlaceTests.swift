import Glibc
import PasteboardTransport
import PasteboardWire
import Testing

@Suite struct SocketPlaceTests {
    @Test("One process at a time has a socket path, and a successor takes over the files of a dead one")
    func claims() throws {
        let directory = try TemporaryDirectory()
        let place = SocketPlace(socket: "\(directory.path)/below/deeper/socket")
        do {
            var first = try ClaimedPlace(claiming: place)
            #expect(Bool(first.isReachable))
            #expect(try System.status(at: place.directory)?.mode == 0o700)
            let error = #expect(throws: PlaceError.self) { _ = try ClaimedPlace(claiming: place) }
            #expect(error == .held(lock: place.lifeLock, by: System.processID))
            #expect(LifeLock.holder(of: place) == System.processID)

            first.withdraw()
            #expect(try System.status(at: place.socket) == nil)
            // A successor starts while the first process still has its connections.
            let second = try ClaimedPlace(claiming: place)
            first.withdraw()
            #expect(Bool(second.isReachable))
        }
        // Nothing is left, not even the directory, which was made here.
        #expect(try System.status(at: place.directory) == nil)

        // A socket without a broker, as left by a killed one.
        try place.prepareDirectory()
        _ = try ListeningSocket(path: place.socket)
        let third = try ClaimedPlace(claiming: place)
        #expect(Bool(third.isReachable))
    }

    @Test("A file that has replaced the socket is not removed")
    func leavesOthersAlone() throws {
        let directory = try TemporaryDirectory()
        let place = SocketPlace(socket: "\(directory.path)/socket")
        var claimed = try ClaimedPlace(claiming: place)
        try System.unlink(place.socket)
        let other = try System.open(place.socket, [.writing, .exclusive])
        #expect(Bool(!claimed.isReachable))
        claimed.withdraw()
        #expect(try System.status(at: place.socket)?.isSameFile(as: System.status(of: other.raw)) == true)
        let error = #expect(throws: PlaceError.self) { _ = try ClaimedPlace(claiming: place) }
        #expect(error == .occupied(place.socket))
    }

    @Test("An invalid directory, or one that other users may enter, is refused with the reason")
    func refusesUnsafeDirectories() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/place"
        let place = SocketPlace(socket: "\(path)/socket")
        #expect(throws: PlaceError.unsafeDirectory(path, .missing)) { try place.checkDirectory() }

        try place.prepareDirectory()
        #expect(chmod(path, 0o750) == 0)
        let error = #expect(throws: PlaceError.self) { try place.prepareDirectory() }
        #expect(error == .unsafeDirectory(path, .open(mode: 0o750)))
        #expect(error?.description.contains("chmod 700 '\(path)'") == true)

        #expect(symlink(directory.path, "\(directory.path)/link") == 0)
        let linked = SocketPlace(socket: "\(directory.path)/link/socket")
        #expect(throws: PlaceError.unsafeDirectory("\(directory.path)/link", .notADirectory)) {
            try linked.prepareDirectory()
        }
    }

    @Test("A directory of another user is refused", .enabled(if: System.userID == 0, "only root can make one"))
    func refusesForeignDirectories() throws {
        let directory = try TemporaryDirectory()
        let place = SocketPlace(socket: "\(directory.path)/socket")
        #expect(chown(directory.path, 1, 1) == 0)
        #expect(throws: PlaceError.unsafeDirectory(directory.path, .owned(by: 1))) { try place.prepareDirectory() }
    }

    @Test("A lock whose file was replaced during the wait does not count as the lock of that name")
    func replacedLock() throws {
        let directory = try TemporaryDirectory()
        let place = SocketPlace(socket: "\(directory.path)/socket")
        var first: LifeLock? = try LifeLock(of: place)
        try System.unlink(place.lifeLock)
        // A second lock of the same name. The first must not remove its file.
        let second = try LifeLock(of: place)
        _ = first.take()
        #expect(throws: PlaceError.held(lock: place.lifeLock, by: System.processID)) { _ = try LifeLock(of: place) }
        withExtendedLifetime(second) {}
    }

    @Test("Many processes that claim and release a path one after the other never have it at the same time")
    func contended() async throws {
        let directory = try TemporaryDirectory()
        let place = SocketPlace(socket: "\(directory.path)/d/socket", isWellKnown: false)
        let holders = Holders()
        let claims = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var claims = 0
                    for _ in 0..<200 {
                        guard let claimed = try? ClaimedPlace(claiming: place) else { continue }
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
        #expect(try System.status(at: place.lifeLock) == nil)
        #expect(try System.status(at: place.socket) == nil)
    }

    private final class Holders: Sendable {
        let count = Lock(0)
    }

    @Test("The lock is not taken through a symbolic link")
    func lockIsNotALink() throws {
        let directory = try TemporaryDirectory()
        let place = SocketPlace(socket: "\(directory.path)/socket")
        #expect(symlink("\(directory.path)/victim", place.lifeLock) == 0)
        #expect(throws: PlaceError.self) { _ = try LifeLock(of: place) }
        #expect(try System.status(at: "\(directory.path)/victim") == nil)
    }

    @Test("A process that wants to start a broker waits for the one that is starting it, until the deadline")
    func startLock() throws {
        let directory = try TemporaryDirectory()
        let place = SocketPlace(socket: "\(directory.path)/socket")
        var first: StartLock? = try StartLock(of: place, deadline: 0)
        #expect(throws: PlaceError.held(lock: place.startLock, by: nil)) {
            _ = try StartLock(of: place, deadline: MonotonicClock.deadline(milliseconds: 5))
        }
        _ = first.take()
        _ = try StartLock(of: place, deadline: 0)
    }

    @Test("The first usable path is chosen")
    func chooses() throws {
        let named = try WellKnownEndpoint(
            environment: { $0 == "PASTEBOARD_SOCKET" ? "/a/b" : nil },
            userID: 1,
            bootID: "x"
        )
        #expect(try SocketPlace(choosingFrom: named).socket == "/a/b")
        let nobody = UInt32.max - 7
        let home = try WellKnownEndpoint(environment: { $0 == "HOME" ? "/h" : nil }, userID: nobody, bootID: "x")
        #expect(try SocketPlace(choosingFrom: home).socket == "/h/.local/state/pasteboard/x/socket")
        let directory = try TemporaryDirectory()
        for (name, socket) in [
            (directory.path, "\(directory.path)/pasteboard/socket"),
            // Neither it nor its parents are created: the next path is used.
            ("\(directory.path)/missing/run", "/h/.local/state/pasteboard/x/socket"),
        ] {
            let runtime = try WellKnownEndpoint(
                environment: { ["XDG_RUNTIME_DIR": name, "HOME": "/h"][$0] },
                userID: nobody,
                bootID: "x"
            )
            #expect(try SocketPlace(choosingFrom: runtime).socket == socket)
        }
        let none = try WellKnownEndpoint(environment: { _ in nil }, userID: nobody, bootID: "x")
        #expect(throws: PlaceError.nowhere) { _ = try SocketPlace(choosingFrom: none) }
        #expect(SocketPlace(socket: "/socket").directory == "/")
    }
}
