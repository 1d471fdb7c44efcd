import BlockingClient
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A file on a mount that has stopped answering may pass through the broker, but must not block it.
@Suite(.processes) struct DeadFileSystemTests {
    /// Whether such a file system can be mounted.
    nonisolated private static let isPossible: Bool = {
        guard System.userID == 0, let directory = try? TemporaryDirectory(), let server = try? Server(directory) else {
            return false
        }
        return server.isMounted
    }()

    /// A mount with one file, and the program that answers requests for it, or does not.
    nonisolated private final class Server {
        let file: String
        let isMounted: Bool
        private let runner: ProcessRunner
        private var orders: DescriptorBox?

        init(_ directory: TemporaryDirectory) throws {
            let mount = try directory.makeDirectory("mount")
            let pipe = try System.pipe()
            runner = try ProcessRunner(
                try ProcessRunner.program("dead-file-system"),
                [mount],
                environment: [:],
                input: pipe.first.raw
            )
            orders = DescriptorBox(pipe.keepingSecond())
            file = "\(mount)/file"
            isMounted = try runner.nextLine() == "ready"
        }

        deinit {
            end()
        }

        func fallSilent() throws {
            let orders = try #require(self.orders)
            try System.write(Array("silent\n".utf8).span, to: orders.raw)
            #expect(try runner.nextLine() == "silent")
        }

        /// Unmounts the file system, so that everything that waits for it fails.
        func end() {
            guard let orders else { return }
            self.orders = nil
            // By a line, because the end of the pipe may depend on the end of the mount: a process that another test
            // starts has duplicates of the pipe and of a file on the mount, and it closes one of them after the other.
            try? System.write(Array("end\n".utf8).span, to: orders.raw, raisesSignal: false)
            _ = try? runner.finish()
        }
    }

    @Test(
        "The broker serves its peers while it holds and while it closes a file on an unresponsive file system",
        .tags(.f60),
        .enabled(if: isPossible, "needs root, and /dev/fuse")
    )
    func silent() throws {
        let directory = try TemporaryDirectory()
        let server = try Server(directory)
        try BrokerProcess.run { broker in
            // End the server before waiting for the peers, which cannot exit while they wait for the mount.
            defer { server.end() }
            let source = try broker.source("pass=file:\(server.file)", "bytes=4096")
            let other = try broker.source("pass=file:\(server.file)", "bytes=4096", "board=other")
            try server.fallSilent()
            // The file is checked and passed on without a request to the file system.
            let taker = try broker.destination("takes-descriptor")
            try taker.expect("passed 4096 unsealed")
            try broker.expectService()

            // One destination has the file and one never reads. Then all descriptors except for the broker's own are
            // closed, as far as the kernel lets these processes exit.
            let blind = try broker.destination("board=other", "takes-descriptor", "blind")
            try blind.expect("loading")
            try other.wait(for: "passed")
            for peer in [source, other, taker, blind] { try peer.signal(9) }
            for _ in 0..<3 {
                try broker.expectService()
                _ = try broker.connect().status()
            }
        }
    }

    @Test(
        "A source of unwanted files that cannot be closed takes no more of the broker than the limit",
        .tags(.f60),
        .enabled(if: isPossible, "needs root, and /dev/fuse")
    )
    func pile() throws {
        let directory = try TemporaryDirectory()
        let server = try Server(directory)
        let limit = 20
        let broker = try BrokerProcess(
            at: try BrokerPlace(),
            limits: ["passed-descriptors=\(limit)"]
        )
        // Closing this file also waits for the mount, so it happens after the server's end, and this test starts no
        // process before.
        let file = DescriptorBox(try System.open(server.file))
        defer { server.end() }
        try server.fallSilent()
        let socket = DescriptorBox(try broker.place.connect())
        let peer = ScriptedPeer(try System.duplicate(socket.raw))
        #expect(try Self.greet(peer).features == [Feature.descriptors.rawValue])
        let before = try broker.openDescriptorCount()
        // The stream has ended, so frames for it are late but not a violation.
        try peer.send(Write(), stream: 1)
        try peer.send(Cancel(), stream: 1)
        var output = OutputBuffer()
        var delivered: [Delivery] = []
        for number in 0..<500 {
            var encoder = FrameMemory()
            encoder.append(header: FrameHeader(.data, stream: 1, length: 0, flags: .last, descriptorCount: 1))
            output.markDescriptors([file], name: UInt64(number))
            output.appendStream(encoder.bytes.span)
        }
        while try output.flush(to: socket.raw, delivered: &delivered) != .empty {
            _ = try System.poll([PollInterest(socket.raw, .writable)], milliseconds: nil)
        }
        try peer.send(Status(), stream: 3)
        _ = try peer.next(.end)
        #expect(try broker.openDescriptorCount() <= before + limit)
        // New clients get their bytes without descriptors.
        let newcomer = ScriptedPeer(try broker.place.connect())
        #expect(try Self.greet(newcomer).features.isEmpty)
        _ = try broker.connect().status()
        server.end()
        try broker.end()
    }

    private static func greet(_ peer: ScriptedPeer) throws -> Welcome {
        var hello = Hello()
        hello.features = [Feature.descriptors.rawValue]
        try peer.send(hello, stream: 0)
        return try peer.next(.welcome).decoded(as: Welcome.self)
    }
}
