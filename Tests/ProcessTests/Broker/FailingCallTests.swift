import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A debug broker whose system calls fail one after the other, and clients that copy, promise and load meanwhile.
@Suite(.processes) struct FailingCallTests {
    /// The calls, each with an error that a lack of descriptors, memory or space causes.
    private nonisolated static let shortages: [(call: String, code: CInt)] = [
        ("accept", EMFILE), ("getsockopt SO_PEERPIDFD", EMFILE), ("epoll_ctl", ENOSPC),
        ("recvmsg", ENOMEM), ("sendmsg", ETOOMANYREFS), ("memfd_create", EMFILE),
        ("write", ENOSPC), ("pread", ENOMEM), ("seal memory file", ENOMEM), ("fstat", ENOMEM),
        ("pthread_create", EAGAIN),
        // Only while the broker starts.
        ("open", EMFILE), ("socket", ENFILE), ("bind", ENOSPC), ("listen", ENOMEM), ("epoll_create", EMFILE),
        ("timerfd_create", ENOMEM), ("signalfd", EMFILE), ("eventfd", ENFILE), ("inotify_init", EMFILE),
        ("inotify_add_watch", ENOSPC), ("landlock", EMFILE),
    ]

    /// The greatest number of calls of one kind that the work below needs, with a reserve.
    private static let mostCalls = 200

    @Test(
        "Whichever call fails once, the broker does not start, with an error, or one request fails and it serves on",
        .tags(.f53),
        arguments: shortages
    )
    func once(call: String, code: CInt) throws {
        let number = try (1...Self.mostCalls).first { number in
            // The third write tells the test that the broker listens, and the test would wait for it.
            if call == "write", number == 3 { return false }
            return try !isReached("\(call):\(number):1:\(code)")
        }
        #expect(try #require(number) > 1, "no call \(call) was made")
    }

    @Test(
        "While no connection can be accepted, the broker does not end, and accepts those that wait as soon as it can",
        .tags(.f53),
        arguments: [EMFILE, ENFILE, ENOMEM]
    )
    func pauses(code: CInt) throws {
        // Neither of the two attempts for each connection succeeds, also after pauses.
        let broker = try BrokerProcess(at: try BrokerPlace(), after: Self.failing("accept:2:8:\(code)"))
        _ = try broker.connect().welcome()
        try broker.expectService()
        let log = try broker.end().errorText
        #expect(log.contains("made to fail: accept 9"), "\(log)")
    }

    @Test("A listener that cannot be watched again after a pause is watched later", .tags(.f53))
    func resumes() throws {
        // The first calls watch the timer, the signals, the listener and the directory, and the fifth ends watching the
        // listener. The following ones watch it again.
        let failures = "accept:1:1:\(ENOMEM),epoll_ctl:6:3:\(ENOMEM)"
        let broker = try BrokerProcess(at: try BrokerPlace(), after: Self.failing(failures))
        _ = try broker.connect().welcome()
        try broker.expectService()
        let log = try broker.end().errorText
        #expect(log.contains("made to fail: epoll_ctl 8"), "\(log)")
    }

    private static func failing(_ calls: String) -> String {
        "export PASTEBOARD_TEST_FAILING_CALLS='\(calls)'"
    }

    /// Runs a broker and its clients, and returns whether the call was made that has to fail.
    private func isReached(_ failure: String) throws -> Bool {
        let broker: BrokerProcess
        do {
            broker = try BrokerProcess(at: try BrokerPlace(), after: Self.failing(failure))
        } catch ProcessRunner.Trouble.endedEarly(let errors) {
            // One line reports the failing call, the other is the broker's.
            let lines = errors.split(separator: "\n")
            #expect(lines.count == 2 && lines.last?.hasPrefix("pasteboardd: ") == true, "\(failure): \(errors)")
            return true
        }
        var failed = 0
        for part in Part.allCases where try !succeeds(part, at: broker, failure) { failed += 1 }
        if try !succeeds(.promise, at: broker, failure) {
            // This is the one request that the call belongs to, so the others and the next one succeed.
            #expect(failed == 0, "\(failure)")
            #expect(try succeeds(.promise, at: broker, failure), "\(failure)")
        }
        #expect(failed <= 1, "\(failure)")
        return try broker.end().errorText.contains("made to fail: ")
    }

    /// The work of a broker, each part on a pasteboard of its own.
    private enum Part: CaseIterable {
        case write
        case promise
        case keep
        case passMemory
        case passFile
        case report
    }

    /// Returns false if the part fails with one error that has a text.
    private func succeeds(_ part: Part, at broker: BrokerProcess, _ failure: String) throws -> Bool {
        do {
            switch part {
            case .write: try writeAndLoad(at: broker)
            case .promise: try load(.bytes(70_000), from: "promise", at: broker)
            case .keep: try load(.bytes(300_000), from: "keep", .onceAndKept, at: broker)
            case .passMemory:
                let memory = try MemoryFile()
                try memory.append(Self.bytes.span.extracting(first: 100_000))
                try memory.seal()
                try load(.descriptor(memory.descriptor, byteCount: 100_000), from: "passMemory", at: broker)
            case .passFile:
                let path = try broker.place.directory.write(Array(Self.bytes.prefix(3)), to: "file")
                try load(.descriptor(DescriptorBox(try System.open(path)), byteCount: 3), from: "passFile", at: broker)
            case .report: _ = try broker.connect().status()
            }
            return true
        } catch let error as Failure {
            #expect(!error.text.isEmpty, "\(failure)")
            return false
        }
    }

    private static let bytes = Desk.bytes(300_000)

    /// Writes bytes that the broker keeps, and loads them: small ones, which are sent, and large ones, which are
    /// passed.
    private func writeAndLoad(at broker: BrokerProcess) throws {
        let connection = try broker.connect()
        var representation = Representation()
        representation.type = "public.data"
        for count in [1_000, 200_000] {
            let bytes = Array(Self.bytes.prefix(count))
            _ = try connection.write(
                Write(),
                items: [WriteItem(representations: [(representation: representation, source: .bytes(bytes))])]
            )
            #expect(try broker.connect().loadBytes(Load()).bytes == bytes)
        }
    }

    /// The answer of a source.
    private enum Answer {
        case bytes(Int)
        case descriptor(DescriptorBox, byteCount: UInt64)
    }

    /// Promises an answer on a board, and loads it over another connection. Both are connections of this process and
    /// take turns on this thread, because a program for each would take most of the time of the test.
    private func load(
        _ answer: Answer,
        from board: String,
        _ policy: RepresentationPolicy? = nil,
        at broker: BrokerProcess
    ) throws {
        let source = try broker.connect()
        var representation = Representation()
        representation.type = "public.data"
        representation.policy = policy
        var write = Write()
        write.board = board
        let item = WriteItem(representations: [(representation: representation, source: .promised)])
        _ = try source.write(write, items: [item])

        let destination = try broker.connect()
        var load = Load()
        load.board = board
        if case .descriptor = answer { load.descriptorWelcome = true }
        let stream = try destination.io.state.open(load)
        var received: [UInt8] = []
        var passed: DescriptorBox?
        var failure: Failure?
        var isOver = false
        var (ask, sent) = (nil as UInt64?, 0)
        while !isOver {
            let readiness: PollInterest.Readiness = source.io.wantsWrite ? [.readable, .writable] : .readable
            try destination.turn(extra: [PollInterest(source.io.descriptor, readiness)]) { state, event, bytes in
                switch event {
                case .data(stream, let payload, let last):
                    received.append(copying: bytes.extracting(payload))
                    state.consumed(stream, count: payload.count)
                    isOver = last
                case .ended(stream, _): isOver = true
                case .passed(stream, _, let descriptor): (passed, isOver) = (descriptor, true)
                case .failed(stream, let error): (failure, isOver) = (error, true)
                default: break
                }
            }
            try source.turn(until: 0) { _, event, _ in
                if case .asked(let stream, _) = event { ask = stream }
            }
            guard let stream = ask else { continue }
            switch answer {
            case .descriptor(let descriptor, let byteCount):
                _ = source.io.pass(descriptor, byteCount: byteCount, on: stream)
                ask = nil
            case .bytes(let count):
                while sent < count {
                    let rest = Self.bytes.span.extracting(sent..<count)
                    guard let next = try source.io.send(rest, on: stream, last: true) else { break }
                    sent += next
                }
            }
            try source.io.flush()
        }
        if let failure { throw failure }
        switch answer {
        case .bytes(let count): #expect(received == Array(Self.bytes.prefix(count)))
        case .descriptor(let descriptor, let byteCount):
            let file = try #require(passed).raw
            #expect(System.isFullySealed(file) == System.isFullySealed(descriptor.raw))
            #expect(try System.status(of: file).size == byteCount)
        }
    }
}
