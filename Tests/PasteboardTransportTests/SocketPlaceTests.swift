import Glibc
import PasteboardTransport
import PasteboardWire
import Testing

@Suite struct SocketPlaceTests {
    @Test("One process at a time has a place, and a successor takes over what the dead left")
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
            // A successor starts while the first still has its connections.
            let second = try ClaimedPlace(claiming: place)
            first.withdraw()
            #expect(Bool(second.isReachable))
        }
        #expect(try System.status(at: place.socket) == nil)

        // A socket without a broker, as one leaves it that was killed.
        _ = try ListeningSocket(path: place.socket)
        let third = try ClaimedPlace(claiming: place)
        #expect(Bool(third.isReachable))
    }

    @Test("What has replaced the socket is not removed")
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

    @Test("A directory that others may enter, or that is none, is refused with its reason")
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

    @Test("The lock is not taken through a symbolic link")
    func lockIsNotALink() throws {
        let directory = try TemporaryDirectory()
        let place = SocketPlace(socket: "\(directory.path)/socket")
        #expect(symlink("\(directory.path)/victim", place.lifeLock) == 0)
        #expect(throws: PlaceError.self) { _ = try LifeLock(of: place) }
        #expect(try System.status(at: "\(directory.path)/victim") == nil)
    }

    @Test("Who wants to start a broker waits for the one that is starting it, until the deadline")
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

    @Test("The first usable place is chosen")
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
        let none = try WellKnownEndpoint(environment: { _ in nil }, userID: nobody, bootID: "x")
        #expect(throws: PlaceError.nowhere) { _ = try SocketPlace(choosingFrom: none) }
        #expect(SocketPlace(socket: "/socket").directory == "/")
    }
}
