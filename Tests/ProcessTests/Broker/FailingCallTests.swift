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
            // The second write tells the test that the broker listens, and the test would wait for it.
            if call == "write", number == 2 { return false }
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

    @Test(
        "Kept bytes that cannot be sealed are sent inline, never as a file that the destination could change",
        .tags(.f53)
    )
    func unsealed() throws {
        let broker = try BrokerProcess(at: try BrokerPlace(), after: Self.failing("seal memory file:1:2:\(ENOMEM)"))
        let source = try broker.source("once", "serve=300000")
        #expect(try broker.destination().outcome() == "done 300000 intact")
        try source.end()
        #expect(try broker.destination("takes-descriptor").outcome() == "done 300000 intact")
        // The next attempt succeeds.
        try broker.destination("takes-descriptor").expect("passed 300000 sealed")
        try broker.end()
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
            case .promise: try load("done 70000 intact", from: ["serve=70000"], at: broker)
            case .keep: try load("done 300000 intact", from: ["once", "serve=300000"], at: broker)
            case .passMemory: try load("passed 100000 sealed", from: ["pass=sealed:100000"], at: broker)
            case .passFile: try load("passed 3 unsealed", from: ["pass=file:\(try file(at: broker))"], at: broker)
            case .report: _ = try broker.connect().status()
            }
            return true
        } catch let error as Failure {
            #expect(!error.text.isEmpty, "\(failure)")
        } catch ProcessRunner.Trouble.endedEarly(let errors) {
            #expect(errors.hasPrefix("test-peer: "), "\(failure): \(errors)")
        }
        return false
    }

    /// Writes bytes that the broker keeps, and loads them.
    private func writeAndLoad(at broker: BrokerProcess) throws {
        let connection = try broker.connect()
        var representation = Representation()
        representation.type = "public.data"
        let bytes = Desk.bytes(200_000)
        _ = try connection.write(
            Write(),
            items: [WriteItem(representations: [(representation: representation, source: .bytes(bytes))])]
        )
        #expect(try broker.connect().loadBytes(Load()).bytes == bytes)
    }

    /// Loads what another process promises.
    private func load(_ expected: String, from options: [String], at broker: BrokerProcess) throws {
        let board = "board=\(options[0].prefix { $0 != "=" })"
        let source = try broker.peer("source", [board] + options)
        try source.expect("promised")
        let destination = try broker.peer(
            "destination",
            [board] + (expected.hasPrefix("passed") ? ["takes-descriptor"] : [])
        )
        let outcome = try destination.outcome()
        try destination.end()
        try source.end()
        if outcome.hasPrefix("failed ") { throw Failure(.sourceFailed, outcome) }
        #expect(outcome == expected)
    }

    private func file(at broker: BrokerProcess) throws -> String {
        try broker.place.directory.write([1, 2, 3], to: "file")
    }
}
