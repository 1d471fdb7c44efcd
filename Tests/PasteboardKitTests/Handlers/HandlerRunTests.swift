import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct HandlerRunTests {
    /// A run and the result that its completion delivers.
    private struct Observed {
        let result = PendingResult<HandlerResult>()
        let completions = Counter()
        let run: HandlerRun

        init(_ handler: DataHandler, progress: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }) {
            run = HandlerRun(handler) { [result, completions] report in
                switch report {
                case .progress(let completed, let total): progress(completed, total)
                case .result(let outcome):
                    completions.increment()
                    result.resolve(outcome.mapError(PasteboardError.init(ofHandler:)))
                }
            }
        }

        static func callback(
            _ body: @escaping @Sendable (@escaping DataHandler.Completion) -> LoadProgress?
        ) -> Observed { Observed(.callback(body)) }

        static func reporting(
            _ body: @escaping @Sendable (LoadProgress) async throws -> HandlerResult
        ) -> Observed { Observed(.reporting(body)) }

        func value() async throws -> HandlerResult { try await result.value(onCancel: {}) }

        func data() async throws -> Data {
            guard case .data(let data) = try await value() else { throw PasteboardError.cancelled }
            return data
        }

        func error() async -> PasteboardError? {
            await #expect(throws: PasteboardError.self) { try await value() }
        }
    }

    private struct Refused: Error {}

    // MARK: Callbacks

    @Test("Only the first completion of a handler counts")
    func first() async throws {
        let observed = Observed.callback { completion in
            completion(Data([1]), nil)
            completion(Data([2]), nil)
            completion(nil, Refused())
            return nil
        }
        observed.run.start()
        #expect(try await observed.data() == Data([1]))
        #expect(observed.completions.value == 1)
    }

    @Test("An error takes precedence over bytes")
    func errorFirst() async {
        let observed = Observed.callback { completion in
            completion(Data([1]), Refused())
            return nil
        }
        observed.run.start()
        #expect(await observed.error()?.code == .sourceFailed)
    }

    @Test("A handler that completes without a result, or never completes, fails the load", .tags(.f48))
    func broken() async {
        let empty = Observed.callback { completion in
            completion(nil, nil)
            return nil
        }
        empty.run.start()
        #expect(
            await empty.error()?.sourceError?.message == "the load handler completed with neither bytes nor an error"
        )
        let silent = Observed.callback { _ in nil }
        silent.run.start()
        #expect(await silent.error()?.sourceError?.message == "the load handler never called its completion")
    }

    @Test("A slice is copied, so that the result begins at index 0")
    func slice() async throws {
        let observed = Observed.callback { completion in
            completion(Data([1, 2, 3]).dropFirst(), nil)
            return nil
        }
        observed.run.start()
        let data = try await observed.data()
        #expect(data == Data([2, 3]))
        #expect(data.startIndex == 0)
    }

    // MARK: Tasks

    @Test("A task returns its bytes or its error")
    func tasks() async throws {
        let whole = Observed(.async { .data(Data([1])) })
        whole.run.start()
        #expect(try await whole.data() == Data([1]))
        let failed = Observed(.async { throw Refused() })
        failed.run.start()
        #expect(await failed.error()?.code == .sourceFailed)
    }

    @Test("The progress of a handler is reported until its run has ended")
    func progress() async throws {
        let reports = Lock<[Int64]>([])
        let kept = Lock(LoadProgress?.none)
        let observed = Observed(
            .reporting { progress in
                kept.withLock { $0 = progress }
                progress.totalUnitCount = 3
                for _ in 0..<3 { progress.completedUnitCount += 1 }
                return .data(Data([1]))
            },
            progress: { completed, total in reports.withLock { $0.append(completed * 10 + total) } }
        )
        observed.run.start()
        _ = try await observed.data()
        kept.withLock { $0 }?.completedUnitCount = 9
        #expect(reports.withLock { $0 } == [3, 13, 23, 33])
    }

    @Test("A stream is delivered as a result before its bytes are written")
    func stream() async throws {
        let gate = Gate()
        let observed = Observed(
            .byteStream(byteCount: 2) { writer in
                await gate.wait()
                try await writer.write(Data([1, 2]))
            }
        )
        observed.run.start()
        guard case .chunks(let chunks) = try await observed.value() else {
            Issue.record("the result is not a stream")
            return
        }
        #expect(chunks.byteCount == 2)
        gate.open()
        #expect(try await chunks.next() == Data([1, 2]))
        #expect(try await chunks.next() == nil)
    }

    // MARK: Cancellation

    @Test("A run that is cancelled before its start does not call the handler")
    func cancelledBefore() async throws {
        let calls = Counter()
        let observed = Observed(.byteStream(byteCount: nil) { _ in calls.increment() })
        observed.run.cancel()
        observed.run.start()
        let next = Observed(.async { .data(Data()) })
        next.run.start()
        _ = try await next.data()
        #expect(calls.value == 0)
        #expect(observed.completions.value == 0)
    }

    @Test("A result is delivered although its handler goes on after the completion, and is not cancelled any more")
    func completedBeforeReturn() async throws {
        let (goOn, returned) = (Semaphore(), Gate())
        let isCancelled = Lock(false)
        let observed = Observed.callback { completion in
            completion(Data([1]), nil)
            goOn.wait()
            let progress = LoadProgress()
            progress.cancellationHandler = { isCancelled.withLock { $0 = true } }
            defer { returned.open() }
            return progress
        }
        observed.run.start()
        #expect(try await observed.data() == Data([1]))
        observed.run.cancel()
        goOn.signal()
        await returned.wait()
        let wasCancelled = isCancelled.withLock { $0 }
        #expect(!wasCancelled)
    }

    @Test("The cancellation handler of a progress may wait for the end of the handler")
    func joined() async {
        let (started, goOn, joined) = (Gate(), Gate(), Gate())
        let ended = Semaphore()
        let observed = Observed.reporting { progress in
            defer { ended.signal() }
            progress.cancellationHandler = {
                ended.wait()
                joined.open()
            }
            started.open()
            await withTaskCancellationHandler {
                await goOn.wait()
            } onCancel: {
                goOn.open()
            }
            return .data(Data())
        }
        observed.run.start()
        await started.wait()
        observed.run.cancel()
        await joined.wait()
    }

    @Test("The cancellation of a run reaches the task and the progress of its handler, and its result is dropped")
    func cancelledTask() async {
        let (started, cancelled, returned) = (Gate(), Gate(), Gate())
        let observed = Observed.reporting { progress in
            progress.cancellationHandler = { cancelled.open() }
            started.open()
            await cancelled.wait()
            #expect(Task.isCancelled)
            defer { returned.open() }
            return .data(Data())
        }
        observed.run.start()
        await started.wait()
        observed.run.cancel()
        observed.run.cancel()
        await returned.wait()
        #expect(observed.completions.value == 0)
    }

    @Test("The cancellation of a run reaches the progress that a callback handler returned")
    func cancelledProgress() async {
        let (attached, cancelled) = (Gate(), Gate())
        let observed = Observed.callback { completion in
            let progress = LoadProgress()
            progress.cancellationHandler = {
                cancelled.open()
                completion(Data(), nil)
            }
            attached.open()
            return progress
        }
        observed.run.start()
        await attached.wait()
        observed.run.cancel()
        await cancelled.wait()
        #expect(observed.completions.value == 0)
    }

    @Test("A handler is released with everything that it refers to when it has returned, also after a cancellation")
    func released() async {
        final class Held: Sendable {
            let onRelease: @Sendable () -> Void
            init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
            deinit { onRelease() }
        }
        func isReleased(_ wait: Gate?) async {
            let released = Gate()
            func start() {
                let held = Held { released.open() }
                let observed = Observed(
                    .async {
                        await withTaskCancellationHandler {
                            await wait?.wait()
                        } onCancel: {
                            wait?.open()
                        }
                        withExtendedLifetime(held) {}
                        return .data(Data())
                    }
                )
                observed.run.start()
                if wait != nil { observed.run.cancel() }
            }
            start()
            await released.wait()
        }
        await isReleased(nil)
        await isReleased(Gate())
    }

    @Test("A task that is cancelled before it is known is cancelled as soon as it is")
    func earlyCancellation() async {
        let (task, gate) = (CancellableTask(), Gate())
        task.cancel()
        let waiting = Task {
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: {
                gate.open()
            }
        }
        task.adopt(waiting)
        await waiting.value
        #expect(waiting.isCancelled)
    }

    @Test("A stream that a handler returns after the cancellation is cancelled")
    func lateStream() async {
        let (started, goOn, stopped) = (Gate(), Gate(), Gate())
        let source = TestChunks { stopped.open() }
        let observed = Observed(
            .async {
                started.open()
                await goOn.wait()
                return .chunks(source)
            }
        )
        observed.run.start()
        await started.wait()
        observed.run.cancel()
        goOn.open()
        await stopped.wait()
        #expect(observed.completions.value == 0)
    }
}
