import Glibc
import PasteboardWire
import Testing

@testable import PasteboardTransport

@Suite struct DescriptorTests {
    @Test("A descriptor is closed with its owner, and not before")
    func ownership() throws {
        let pipe = try System.pipe()
        let raw = try System.duplicate(pipe.second.raw).release()
        #expect(try System.openFlags(of: raw) & O_ACCMODE == O_WRONLY)
        var owner: DescriptorBox? = DescriptorBox(OwnedDescriptor(adopting: raw))
        #expect(owner?.raw == raw)
        owner = nil
        // The other owner of the write end keeps the pipe open.
        #expect(try System.poll([PollInterest(pipe.first.raw, .readable)], milliseconds: 0) == [[]])
    }

    @Test("A closer closes all its descriptors, even when it is deallocated itself")
    func closer() throws {
        let ends = try Socket.pair()
        var closer: DescriptorCloser? = DescriptorCloser()
        var box: DescriptorBox? = DescriptorBox(try System.duplicate(ends.first.raw), closer: closer)
        let passed = ReceivedDescriptors(closer: closer)
        #expect(box != nil && passed.isEmpty)
        var pipe: DescriptorPair? = try System.pipe()
        let reading = try System.duplicate(pipe?.first.raw ?? -1)
        var writing: DescriptorBox? = DescriptorBox(try System.duplicate(pipe?.second.raw ?? -1), closer: closer)
        _ = pipe.take()
        #expect(writing != nil)
        writing = nil
        // The end of the pipe is reached when its last writer closes.
        #expect(try System.read(reading.raw, upTo: 1) == [])
        box = nil
        closer = nil
    }

    @Test("Blocked closes occupy one thread each, and do not delay the closes queued after them")
    func stuckCloses() throws {
        let stuck = Lock<Set<CInt>>([])
        let release = Semaphore()
        let closer = DescriptorCloser { number in
            if stuck.withLock({ $0.contains(number) }) { release.wait() }
            _ = OwnedDescriptor(adopting: number)
        }
        for count in 1...3 {
            let raw = try System.duplicate(0).release()
            stuck.withLock { _ = $0.insert(raw) }
            closer.close(OwnedDescriptor(adopting: raw))
            let pipe = try System.pipe()
            let reading = try System.duplicate(pipe.first.raw)
            for _ in 0..<3 { closer.close(try System.duplicate(pipe.second.raw)) }
            _ = consume pipe
            // The end of the pipe is reached when its last writer closes.
            #expect(try System.read(reading.raw, upTo: 1) == [])
            #expect(closer.waitingCount >= count)
        }
        for _ in 0..<3 { release.signal() }
    }

    @Test("A descriptor that the kernel has to drop never becomes a descriptor of this process")
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

    @Test("No operation leaves a descriptor open")
    func leaks() async {
        await #expect(processExitsWith: .success) {
            func openDescriptors() -> Int { (0..<1024).count { fcntl($0, F_GETFD) >= 0 } }
            let before = openDescriptors()
            let rounds = 30
            for _ in 0..<rounds {
                let directory = try TemporaryDirectory()
                var claimed = try ClaimedPlace(claiming: SocketPlace(socket: "\(directory.path)/socket"))
                let client = try Socket.connect(path: claimed.place.socket, deadline: .max)
                guard case .connection(let server) = try claimed.listener.accept() else { exit(2) }
                Socket.setPassesDescriptors(server.raw, true)
                _ = try ProcessIdentity(peerOf: server.raw, credentials: PeerCredentials(of: server.raw))
                _ = try StartLock(of: claimed.place, deadline: .max)
                _ = try Epoll()

                let file = try MemoryFile()
                try file.seal()
                var output = OutputBuffer()
                var delivered: [Delivery] = []
                let nothing: [UInt8] = []
                output.markDescriptors([file.descriptor, file.descriptor], name: 1)
                output.appendStream(header: FrameHeader(.answer, stream: 1, length: 0), payload: nothing.span)
                guard try output.flush(to: client.raw, delivered: &delivered) == .empty else { exit(3) }
                // Marks whose frames are never sent.
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
            // The test harness opens a few descriptors in the meantime; a leak would be at least one in each round.
            guard openDescriptors() < before + rounds else { exit(6) }
        }
    }

    @Test("The service manager is notified, by path or by abstract name, and its absence does not matter")
    func notifies() async {
        await #expect(processExitsWith: .success) {
            ServiceManager.notify("READY=1")
            try System.setEnvironment("NOTIFY_SOCKET", to: "/nonexistent/socket")
            ServiceManager.notify("READY=1")
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let name = Array("pasteboard-test-\(getpid())".utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0[1...].copyBytes(from: name) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.count)
            let socket = OwnedDescriptor(adopting: socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0))
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket.raw, $0, length) }
            }
            guard bound == 0 else { exit(2) }
            try System.setEnvironment("NOTIFY_SOCKET", to: "@" + String(decoding: name, as: UTF8.self))
            ServiceManager.notify("READY=1")
            guard try System.read(socket.raw, upTo: 100) == Array("READY=1".utf8) else { exit(3) }
        }
    }
}
