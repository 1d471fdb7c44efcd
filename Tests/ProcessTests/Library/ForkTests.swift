import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A process that forks while it is connected: the child has the same socket, and must neither use it nor end it.
@Suite(.processes) struct ForkTests {
    private static let loaded = "loaded pattern:400000"

    /// Makes a child that has tried to use the connection, and returns its process id.
    private func fork(_ peer: PeerProcess) throws -> CInt {
        try peer.order("fork")
        var child: CInt?
        var refused = 0
        while true {
            let line = try peer.line()
            if line.hasPrefix("forked ") { child = CInt(line.dropFirst(7)) }
            if line == "child holds the socket" { break }
            guard line.hasPrefix("child ") else { continue }
            #expect(line.contains("invalid-argument: process "), "\(line)")
            #expect(line.contains("a process created by fork has to open its own"), "\(line)")
            refused += 1
        }
        #expect(refused == 7)
        if child == nil { child = CInt(try peer.line().dropFirst(7)) }
        return try #require(child)
    }

    private func expectLoads(from broker: BrokerProcess) throws {
        let lines = try broker.libraryDestination(["data"]).rest()
        #expect(lines == ["items 1", "0 data pattern:400000 public.png"])
    }

    @Test("A forked child gets an error for each use, and the connection of its parent continues", .tags(.f29))
    func uses() throws {
        try BrokerProcess.run { broker in
            let parent = try broker.libraryForker()
            try parent.order("load", expecting: Self.loaded)
            let child = try fork(parent)
            for _ in 0..<3 { try parent.order("load", expecting: Self.loaded) }
            try expectLoads(from: broker)
            // The end of the child is not that of the connection.
            try System.kill(child, SIGKILL)
            try parent.order("load", expecting: Self.loaded)
            try expectLoads(from: broker)
        }
    }

    @Test("A forked child that closes the connection and exits does not end that of its parent", .tags(.f29))
    func closes() throws {
        try BrokerProcess.run { broker in
            let parent = try broker.libraryForker()
            try parent.order("fork and close")
            let child = try #require(CInt(try parent.line().dropFirst(7)))
            let ended = try System.processDescriptor(child)
            _ = try System.poll([PollInterest(ended.raw, .readable)], milliseconds: ProcessRunner.watchdog)
            try parent.order("load", expecting: Self.loaded)
            try expectLoads(from: broker)
        }
    }

    @Test("If the parent closes the connection, the broker is notified although a child holds the socket")
    func parentCloses() throws {
        try BrokerProcess.run { broker in
            let parent = try broker.libraryForker()
            let child = try fork(parent)
            defer { try? System.kill(child, SIGKILL) }
            try parent.order("close", expecting: "closed")
            let lines = try broker.libraryDestination(["data"]).rest()
            #expect(lines == ["items 0"] || lines == ["items 1", "0 data failed source-gone"], "\(lines)")
        }
    }

    @Test(
        "If the parent is killed while a child holds the socket, loads end at the timeout, and others continue",
        .tags(.f29)
    )
    func parentDies() throws {
        try BrokerProcess.run { broker in
            let parent = try broker.libraryForker("first-byte=2000")
            let child = try fork(parent)
            try parent.signal(SIGKILL)
            // The broker cannot know of this end: the connection is open.
            let lines = try broker.libraryDestination(["data"]).rest()
            #expect(lines == ["items 1", "0 data failed source-stalled"])
            try broker.expectService()
            // With the last process that holds the socket, the connection ends.
            try System.kill(child, SIGKILL)
            let connection = try broker.connect()
            while try connection.status().count(where: { $0.peer != nil }) > 1 {}
            let gone = try broker.libraryDestination(["data"]).rest()
            #expect(gone == ["items 0"] || gone == ["items 1", "0 data failed source-gone"], "\(gone)")
        }
    }
}
