import FoundationEssentials
import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct OnceHandlerTests {
    private struct Refused: Error {}

    /// One share of a handler's run.
    private struct Share {
        let result = PendingResult<HandlerResult>()
        let reports = Counter()
        private(set) var number = 0

        init(_ handler: OnceHandler) {
            number = handler.join { [result, reports] report in
                switch report {
                case .progress: reports.increment()
                case .result(let outcome): result.resolve(outcome.mapError(PasteboardError.init(ofHandler:)))
                }
            }
        }

        func bytes() async throws -> Data {
            switch try await result.value(onCancel: {}) {
            case .data(let data):
                return data
            case .chunks(let chunks):
                var data = Data()
                while let chunk = try await chunks.next() { data.append(chunk) }
                return data
            case .file(let file):
                return try file.passed.contents { false }
            }
        }
    }

    @Test("Concurrent loads share one run, and later loads get its result without another run")
    func shared() async throws {
        let (calls, gate) = (Counter(), Gate())
        let handler = OnceHandler(
            .async {
                calls.increment()
                await gate.wait()
                return .data(Data([1, 2]))
            }
        )
        let shares = (0..<3).map { _ in Share(handler) }
        gate.open()
        for share in shares { #expect(try await share.bytes() == Data([1, 2])) }
        #expect(try await Share(handler).bytes() == Data([1, 2]))
        #expect(calls.value == 1)
    }

    @Test("A failure is delivered to all shares of its run, and the next load runs the handler again")
    func failure() async throws {
        let (calls, gate) = (Counter(), Gate())
        let handler = OnceHandler(
            .async {
                if calls.increment() > 1 { return .data(Data([3])) }
                await gate.wait()
                throw Refused()
            }
        )
        let shares = (0..<2).map { _ in Share(handler) }
        gate.open()
        for share in shares { await #expect(throws: PasteboardError.self) { try await share.bytes() } }
        #expect(try await Share(handler).bytes() == Data([3]))
        #expect(calls.value == 2)
    }

    @Test("Progress is reported to every share")
    func progress() async throws {
        let (started, gate) = (Gate(), Gate())
        let handler = OnceHandler(
            .reporting { progress in
                started.open()
                await gate.wait()
                progress.completedUnitCount = 1
                return .data(Data())
            }
        )
        let first = Share(handler)
        await started.wait()
        let second = Share(handler)
        gate.open()
        for share in [first, second] {
            _ = try await share.bytes()
            #expect(share.reports.value == 1)
        }
    }

    @Test("A run is cancelled only with its last share, and its result is then dropped")
    func leave() async throws {
        let (calls, started, cancelled) = (Counter(), Gate(), Gate())
        let handler = OnceHandler(
            .reporting { progress in
                guard calls.increment() == 1 else { return .data(Data([7])) }
                progress.cancellationHandler = { cancelled.open() }
                started.open()
                await cancelled.wait()
                return .data(Data([6]))
            }
        )
        let (first, second) = (Share(handler), Share(handler))
        await started.wait()
        handler.leave(first.number)
        handler.leave(first.number)
        #expect(!cancelled.isOpen)
        handler.leave(second.number)
        await cancelled.wait()
        #expect(try await Share(handler).bytes() == Data([7]))
        #expect(calls.value == 2)
    }

    // MARK: Streams

    @Test("All shares of a stream and all later loads get all of its bytes, each at its own pace")
    func stream() async throws {
        let (calls, gate) = (Counter(), Gate())
        let expected = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let handler = OnceHandler(
            .byteStream(byteCount: nil) { writer in
                calls.increment()
                try await writer.write(expected.prefix(100_000))
                await gate.wait()
                try await writer.write(expected.dropFirst(100_000))
            }
        )
        let (first, second) = (Share(handler), Share(handler))
        guard case .chunks(let chunks) = try await second.result.value(onCancel: {}) else {
            Issue.record("the result is not a stream")
            return
        }
        // The slow load reads a part of the bytes while the handler waits.
        var slow = try #require(try await chunks.next())
        gate.open()
        #expect(try await first.bytes() == expected)
        while let chunk = try await chunks.next() { slow.append(chunk) }
        #expect(slow == expected)
        #expect(try await Share(handler).bytes() == expected)
        #expect(calls.value == 1)
    }

    @Test("A stream that fails fails each share after its bytes, and is not kept")
    func failedStream() async throws {
        let calls = Counter()
        let handler = OnceHandler(
            .byteStream(byteCount: nil) { writer in
                try await writer.write(Data([1]))
                if calls.increment() == 1 { throw Refused() }
            }
        )
        let share = Share(handler)
        await #expect(throws: (any Error).self) { try await share.bytes() }
        #expect(try await Share(handler).bytes() == Data([1]))
    }

    @Test("A stream without a reader is cancelled, and the next load runs the handler again")
    func abandonedStream() async throws {
        let (calls, stopped) = (Counter(), Gate())
        let handler = OnceHandler(
            .byteStream(byteCount: nil) { writer in
                guard calls.increment() == 1 else { return try await writer.write(Data([4])) }
                do {
                    while true { try await writer.write(Data(count: 1 << 16)) }
                } catch {
                    stopped.open()
                    throw error
                }
            }
        )
        guard case .chunks(let chunks) = try await Share(handler).result.value(onCancel: {}) else {
            Issue.record("the result is not a stream")
            return
        }
        _ = try await chunks.next()
        chunks.cancel()
        await stopped.wait()
        #expect(try await Share(handler).bytes() == Data([4]))
    }
}
