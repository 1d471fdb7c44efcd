import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A broker of one test in its own process and directory, and the peers that the test connects to it.
final class BrokerProcess {
    let runner: ProcessRunner
    let place: BrokerPlace
    private var peers: [PeerProcess] = []

    /// - Parameters:
    ///   - limits: the limits that differ from `PatientLimits`.
    ///   - shell: commands that a shell runs before it becomes the broker; `input` is descriptor 0 there.
    init(
        at place: BrokerPlace,
        limits: [String] = [],
        after shell: String = ":",
        input: CInt? = nil
    ) throws {
        // A write to a peer that has exited must fail only the test. Child processes get the default action again.
        System.ignoreBrokenPipes()
        self.place = place
        let arguments = try place.arguments + PatientLimits.with(limits).flatMap { ["--limit", $0] }
        runner = try ProcessRunner(
            "/bin/sh",
            ["-c", "\(shell); exec \"$0\" \"$@\" --ready-fd 4 4>&1"] + arguments,
            environment: place.environment,
            input: input
        )
        // The byte that the broker writes once it listens.
        try runner.waitForOutput(containing: "r")
    }

    /// Runs a test with a broker that has to exit successfully afterwards.
    static func run(limits: [String] = [], _ body: (BrokerProcess) throws -> Void) throws {
        let broker = try BrokerProcess(at: try BrokerPlace(), limits: limits)
        try body(broker)
        try broker.end()
    }

    /// Ends the broker by SIGTERM after its peers have exited.
    @discardableResult
    func end() throws -> ProcessRunner.Finished {
        for peer in peers { try peer.end() }
        peers = []
        try runner.child.kill(SIGTERM)
        return try expectEnd()
    }

    /// Waits for the broker's exit, which has to be successful.
    @discardableResult
    func expectEnd() throws -> ProcessRunner.Finished {
        let finished = try runner.finish()
        #expect(finished.exitCode == 0, "\(finished.errorText)")
        return finished
    }

    // MARK: Peers

    /// Starts a source and waits until it has published.
    func source(_ options: String...) throws -> PeerProcess {
        let peer = try self.peer("source", options)
        try peer.expect("promised")
        return peer
    }

    /// Starts a destination that is about to load.
    func destination(_ options: String...) throws -> PeerProcess {
        try peer("destination", options)
    }

    /// Starts a `test-peer` in this role.
    func peer(_ role: String, _ options: [String]) throws -> PeerProcess {
        let peer = try PeerProcess("test-peer", [role, place.socket] + options, environment: place.environment)
        peers.append(peer)
        return peer
    }

    /// Starts a program with the library and waits until it has published an item of each kind.
    func librarySource(_ words: [String]) throws -> PeerProcess {
        let peer = try library(["source", place.socket] + words)
        try peer.expect("promised")
        return peer
    }

    /// Starts a program with the library that is about to load.
    func libraryDestination(_ words: [String]) throws -> PeerProcess {
        try library(["destination", place.socket] + words)
    }

    /// Starts a program with a view that drags or is dropped on.
    func libraryView(_ words: [String]) throws -> PeerProcess {
        try library(["view", place.socket] + words)
    }

    /// Starts a program with the library that loads its own items when the test orders it.
    func libraryRepeater(_ words: [String]) throws -> PeerProcess {
        let peer = try library(["repeats", place.socket] + words)
        try peer.expect("promised")
        return peer
    }

    /// Starts a program with the library that forks when the test orders it.
    func libraryForker(_ words: String...) throws -> PeerProcess {
        let peer = try library(["forks", place.socket] + words)
        try peer.expect("promised")
        return peer
    }

    /// Starts a program whose threads wait for the pasteboards of this broker.
    func blockingPeer(_ role: String) throws -> PeerProcess {
        let environment = place.environment.merging(["PASTEBOARD_SOCKET": place.socket]) { $1 }
        let peer = try PeerProcess("blocking-peer", [role], environment: environment)
        peers.append(peer)
        return peer
    }

    private func library(_ arguments: [String]) throws -> PeerProcess {
        let peer = try PeerProcess("library-peer", arguments, environment: place.environment)
        peers.append(peer)
        return peer
    }

    /// A client in the test's own process.
    func connect() throws -> BlockingConnection {
        try place.connection()
    }

    /// The number of the broker's open descriptors.
    func openDescriptorCount() throws -> Int {
        // The directory is closed to other processes, but not its size, which is this number (Linux 6.2).
        let count = Int(clamping: try System.status(at: "/proc/\(runner.child.id)/fd")?.size ?? 0)
        try #require(count > 0)
        return count
    }

    /// Waits until the broker has no more open descriptors than before. During each round trip it can close some.
    func expectDescriptors(backTo before: Int) throws {
        let connection = try connect()
        try eventually("the closing of all but \(before) descriptors") {
            _ = try connection.status()
            // One is the connection that asks.
            return try openDescriptorCount() <= before + 1
        }
    }

    /// The number of the broker's loads in progress.
    func loads() throws -> Int {
        try connect().status().count { $0.load != nil }
    }

    /// Verifies that the broker still serves.
    func expectService() throws {
        let source = try self.source("board=service", "serve=70000")
        #expect(try destination("board=service").outcome() == "done 70000 intact")
        try source.end()
    }
}

/// A directory for a broker's socket.
struct BrokerPlace {
    let directory: TemporaryDirectory
    /// For its kept directory, so that it does not look at those of other tests; nil if the machine has no place.
    private let base: KeptBase?

    init() throws {
        directory = try TemporaryDirectory()
        base = KeptBase.isPossible ? try KeptBase() : nil
        _ = try directory.makeDirectory("d")
    }

    var socket: String { directory["d/socket"] }

    /// The command line of the broker.
    var arguments: [String] {
        get throws { [try ProcessRunner.program("pasteboardd"), "--socket", socket] }
    }

    /// An environment without a configuration.
    var environment: [String: String] {
        [
            "HOME": directory.path, "PATH": System.environment("PATH") ?? "/usr/bin:/bin", "LC_ALL": "C",
            "SWIFT_BACKTRACE": "enable=no", "XDG_RUNTIME_DIR": base?.path ?? "",
        ]
    }

    func connect() throws -> OwnedDescriptor {
        try Socket.connect(
            path: socket,
            deadline: MonotonicClock.deadline(milliseconds: ProcessRunner.watchdog)
        )
    }

    /// A client in the test's own process.
    func connection() throws -> BlockingConnection {
        let connection = BlockingConnection(adopting: try connect(), path: socket)
        connection.io.timeouts = .endless
        return connection
    }
}
