import Glibc
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardTransport

@Suite(.pure) struct DescriptorTests {
    @Test("A descriptor closes with its owner, and not before")
    func ownership() throws {
        let pipe = try System.pipe()
        let raw = try System.duplicate(pipe.second.raw).release()
        #expect(try System.openFlags(of: raw) & O_ACCMODE == O_WRONLY)
        var owner: DescriptorBox? = DescriptorBox(OwnedDescriptor(adopting: raw))
        #expect(owner?.raw == raw)
        owner = nil
        // The other owner of the writing end keeps the pipe open.
        #expect(try System.poll([PollInterest(pipe.first.raw, .readable)], milliseconds: 0) == [[]])
    }

    @Test("A descriptor that the kernel drops never becomes one of this process", .tags(.f52))
    func droppedByKernel() throws {
        let ends = try Socket.pair()
        let file = DescriptorBox(try System.duplicate(0))
        var output = OutputBuffer()
        var delivered: [Delivery] = []
        let nothing: [UInt8] = []
        output.markDescriptors([file], name: 1)
        output.appendStream(
            header: FrameHeader(.answer, stream: 1, length: 0, descriptorCount: 1),
            payload: nothing.span
        )
        _ = try output.flush(to: ends.first.raw, delivered: &delivered)
        var input = ReadBuffer()
        var carry: [UInt8] = []
        var descriptors = ReceivedDescriptors()
        let outcome = try input.receive(
            from: ends.second.raw,
            takingDescriptors: false,
            carry: &carry,
            descriptors: &descriptors
        )
        #expect(outcome == .bytes(16))
        #expect(descriptors.count == 1)
        #expect(throws: MissingDescriptor.dropped) { try descriptors.take() }
    }

    @Test("No type leaves a descriptor open")
    func leaks() async {
        await #expect(processExitsWith: .success) {
            func openDescriptors() -> Int { (0..<1024).count { fcntl($0, F_GETFD) >= 0 } }
            let before = openDescriptors()
            let rounds = 30
            for _ in 0..<rounds {
                let directory = try TemporaryDirectory()
                var claimed = try ClaimedSocket(claiming: SocketPath("\(directory.path)/socket"))
                try claimed.listen()
                let client = try Socket.connect(path: claimed.path.path, deadline: .max)
                guard case .connection(let server) = try claimed.accept() else { exit(2) }
                Socket.setPassesDescriptors(server.raw, true)
                _ = try ProcessIdentity(peerOf: server.raw, credentials: PeerCredentials(of: server.raw))
                _ = try StartLock(of: claimed.path, deadline: .max)
                _ = try Epoll()

                let file = try MemoryFile()
                try file.seal()
                var output = OutputBuffer()
                var delivered: [Delivery] = []
                let nothing: [UInt8] = []
                output.markDescriptors([file.descriptor, file.descriptor], name: 1)
                output.appendStream(header: FrameHeader(.answer, stream: 1, length: 0), payload: nothing.span)
                guard try output.flush(to: client.raw, delivered: &delivered) == .empty else { exit(3) }
                // Descriptors that are marked, but whose frame is never sent.
                output.markDescriptors([file.descriptor], name: 1)
                var input = ReadBuffer()
                var carry: [UInt8] = []
                var descriptors = ReceivedDescriptors()
                guard case .bytes = try input.receive(from: server.raw, carry: &carry, descriptors: &descriptors),
                    let first = try? descriptors.take(), MemoryFile(sealed: first) != nil, descriptors.count == 1
                else { exit(4) }

                let child = try ChildProcess(.init(path: "/bin/sleep", arguments: ["1000"]))
                guard try child.wait(milliseconds: 0) == nil else { exit(5) }
                try child.kill(SIGKILL)
                _ = try child.wait()
            }
            // The test harness itself opens a few in the meantime. A leak would be one per round.
            guard openDescriptors() < before + rounds else { exit(6) }
        }
    }
}
