import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A broker of a test's own in its own process and directory, and the peers that the test lets connect to it.
final class BrokerProcess {
    /// No deadline of the broker ends a wait.
    static let patient = ["first-byte=10m", "progress=10m"]

    let runner: ProcessRunner
    let place: BrokerPlace
    private var peers: [PeerProcess] = []

    /// - Parameters:
    ///   - shell: what a shell does before it becomes the broker; descriptor 0 is `input` there.
    init(
        at place: BrokerPlace,
        limits: [String] = BrokerProcess.patient,
        after shell: String = ":",
        input: CInt? = nil
    ) throws {
        // Writing to a peer that has ended has to fail the test alone. What it starts gets the default again.
        System.ignoreBrokenPipes()
        self.place = place
        let arguments = try place.arguments + limits.flatMap { ["--limit", $0] }
        self.runner = try ProcessRunner(
            "/bin/sh",
            ["-c", "\(shell); exec \"$0\" \"$@\" --ready-fd 4 4>&1"] + arguments,
            environment: place.environment,
            input: input
        )
        // The byte that it writes once it listens.
        try self.runner.waitForOutput(containing: "r")
    }

    /// Runs a test with a broker that has to end well at the end.
    static func run(limits: [String] = BrokerProcess.patient, _ body: (BrokerProcess) throws -> Void) throws {
        let broker = try BrokerProcess(at: try BrokerPlace(), limits: limits)
        try body(broker)
        try broker.end()
    }

    /// Ends it by SIGTERM, once its peers are gone.
    func end() throws {
        for peer in self.peers { try peer.end() }
        self.peers = []
        try self.runner.child.kill(SIGTERM)
        try self.expectEnd()
    }

    /// Waits for its end, which has to be a good one.
    func expectEnd() throws {
        let finished = try self.runner.finish()
        #expect(finished.exitCode == 0, "\(finished.errorText)")
    }

    // MARK: Peers

    /// A source that has published.
    func source(_ options: String...) throws -> PeerProcess {
        let peer = try PeerProcess(
            "test-peer",
            ["source", self.place.socket] + options,
            environment: self.place.environment
        )
        self.peers.append(peer)
        try peer.expect("promised")
        return peer
    }

    /// A destination that is about to load.
    func destination(_ options: String...) throws -> PeerProcess {
        let peer = try PeerProcess(
            "test-peer",
            ["destination", self.place.socket] + options,
            environment: self.place.environment
        )
        self.peers.append(peer)
        return peer
    }

    /// A program with the library that has published an item of each kind.
    func librarySource(_ words: [String]) throws -> PeerProcess {
        let peer = try self.library(["source", self.place.socket] + words)
        try peer.expect("promised")
        return peer
    }

    /// A program with the library that is about to load.
    func libraryDestination(_ words: [String]) throws -> PeerProcess {
        try self.library(["destination", self.place.socket] + words)
    }

    /// A program with a view, which drags or is dropped on.
    func libraryView(_ words: [String]) throws -> PeerProcess {
        try self.library(["view", self.place.socket] + words)
    }

    /// A program with the library that loads from itself, as often as the test orders.
    func libraryRepeater(_ words: [String]) throws -> PeerProcess {
        let peer = try self.library(["repeats", self.place.socket] + words)
        try peer.expect("promised")
        return peer
    }

    private func library(_ arguments: [String]) throws -> PeerProcess {
        let peer = try PeerProcess("library-peer", arguments, environment: self.place.environment)
        self.peers.append(peer)
        return peer
    }

    /// A client in the test's own process.
    func connect() throws -> BlockingConnection {
        BlockingConnection(adopting: try self.place.connect(), path: self.place.socket)
    }

    /// The numbers of what it has open.
    func openDescriptors() throws -> [Int] {
        let directory = try #require(opendir("/proc/\(self.runner.child.id)/fd"))
        defer { closedir(directory) }
        var numbers: [Int] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let number = Int(name) { numbers.append(number) }
        }
        return numbers
    }

    /// Waits until it has no more open than before; each round trip gives it time to close some.
    func expectDescriptors(backTo before: Int) throws {
        let deadline = MonotonicClock.deadline(milliseconds: ProcessRunner.watchdog)
        let connection = try self.connect()
        var now = Int.max
        // The connection that asks is one.
        while now > before + 1, MonotonicClock.now() < deadline {
            _ = try connection.status()
            now = try self.openDescriptors().count
        }
        #expect(now <= before + 1)
    }

    /// How many loads it has under way.
    func loads() throws -> Int {
        try self.connect().status().count { $0.load != nil }
    }

    /// Shows that it still serves.
    func expectService() throws {
        let source = try self.source("board=service", "serve=70000")
        #expect(try self.destination("board=service").outcome() == "done 70000 intact")
        try source.end()
    }
}

/// A directory in which a broker's socket may be.
struct BrokerPlace {
    let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
        _ = try self.directory.makeDirectory("d")
    }

    var socket: String { self.directory["d/socket"] }

    /// Changes who may enter it.
    func setMode(_ mode: UInt32) throws {
        try #require(chmod(self.directory["d"], mode) == 0)
    }

    /// A broker's, its program first.
    var arguments: [String] {
        get throws { [try ProcessRunner.program("pasteboardd"), "--socket", self.socket] }
    }

    /// Without a configuration.
    var environment: [String: String] {
        [
            "HOME": self.directory.path, "PATH": System.environment("PATH") ?? "/usr/bin:/bin", "LC_ALL": "C",
            "SWIFT_BACKTRACE": "enable=no",
        ]
    }

    func connect() throws -> OwnedDescriptor {
        try Socket.connect(
            path: self.socket,
            deadline: MonotonicClock.deadline(milliseconds: ProcessRunner.watchdog)
        )
    }

    /// Starts a broker that cannot run, and returns how it ended.
    func refusedBroker() throws -> ProcessRunner.Finished {
        let arguments = try self.arguments
        return try ProcessRunner(arguments[0], Array(arguments[1...]), environment: self.environment).finish()
    }
}
