import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct HandlerQueueTests {
    /// The results of runs, by their numbers.
    private final class Observed: Sendable {
        private let results = Lock<[UInt64: PendingResult<HandlerResult>]>([:])

        func result(_ number: UInt64) -> PendingResult<HandlerResult> {
            results.withLock { results in
                let result = results[number] ?? PendingResult()
                results[number] = result
                return result
            }
        }

        func bytes(_ number: UInt64) async throws -> Data {
            guard case .data(let data) = try await result(number).value(onCancel: {}) else {
                throw PasteboardError.cancelled
            }
            return data
        }

        func run(_ number: UInt64, _ body: @escaping @Sendable () async throws -> Data) -> HandlerRun {
            HandlerRun(.async { .data(try await body()) }) { report in
                guard case .result(let result) = report else { return }
                self.result(number).resolve(result.mapError(PasteboardError.init(ofHandler:)))
            }
        }
    }

    @Test("A handler that waits does not delay the handlers after it")
    func waiting() async throws {
        let observed = Observed()
        let gate = PendingResult<Void>()
        HandlerQueue().add([
            observed.run(1) {
                try await gate.value(onCancel: {})
                return Data([1])
            },
            observed.run(2) { Data([2]) },
            observed.run(3) {
                gate.resolve(.success(()))
                return Data([3])
            },
        ])
        for ask in 1...3 { #expect(try await observed.bytes(UInt64(ask)) == Data([UInt8(ask)])) }
    }

    @Test("A handler that blocks its thread delays neither the handlers after it nor the results before it")
    func blocking() async throws {
        let observed = Observed()
        let before = Semaphore()
        let after = Semaphore()
        HandlerQueue().add([
            observed.run(1) { Data([1]) },
            observed.run(2) {
                before.wait()
                after.wait()
                return Data([2])
            },
            observed.run(3) { Data([3]) },
            observed.run(4) {
                after.signal()
                return Data([4])
            },
        ])
        #expect(try await observed.bytes(1) == Data([1]))
        before.signal()
        for ask in 2...4 { #expect(try await observed.bytes(UInt64(ask)) == Data([UInt8(ask)])) }
    }

    @Test("Results are delivered while the last handler blocks its thread")
    func lastBlocks() async throws {
        let observed = Observed()
        let end = Semaphore()
        let count: UInt64 = 20
        let last = observed.run(count) {
            end.wait()
            return Data()
        }
        HandlerQueue().add((1..<count).map { ask in observed.run(ask) { Data([UInt8(ask)]) } } + [last])
        for ask in 1..<count { #expect(try await observed.bytes(ask) == Data([UInt8(ask)])) }
        end.signal()
        #expect(try await observed.bytes(count) == Data())
    }

    @Test(
        "A handler that has run is released with everything that it refers to, also if another runs or it was cancelled"
    )
    func released() async throws {
        final class Held: Sendable {
            let onRelease: @Sendable () -> Void
            init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
            deinit { onRelease() }
        }
        let observed = Observed()
        let queue = HandlerQueue()
        let gate = PendingResult<Void>()
        let (release, cancelled) = (PendingResult<Void>(), PendingResult<Void>())
        func held(_ ask: UInt64, _ released: PendingResult<Void>, _ wait: PendingResult<Void>?) -> HandlerRun {
            // The release calls the queue, as that of an unused completion handler does.
            let held = Held {
                queue.add([observed.run(100 + ask) { Data() }])
                released.resolve(.success(()))
            }
            return observed.run(ask) {
                try? await wait?.value(onCancel: { wait?.resolve(.success(())) })
                withExtendedLifetime(held) {}
                return Data()
            }
        }
        queue.add([
            observed.run(1) {
                try await gate.value(onCancel: {})
                return Data()
            }
        ])
        queue.add([held(2, release, nil)])
        try await release.value(onCancel: {})
        try await cancelOnly(held(3, cancelled, PendingResult()), in: queue)
        try await cancelled.value(onCancel: {})
        gate.resolve(.success(()))
        for ask: UInt64 in [1, 2, 102, 103] { #expect(try await observed.bytes(ask) == Data()) }
    }

    private func cancelOnly(_ run: HandlerRun, in queue: HandlerQueue) async throws {
        queue.add([run])
        run.cancel()
    }

    @Test("A handler that cancels its own task does not cancel those after it")
    func cancelsItself() async throws {
        let observed = Observed()
        HandlerQueue().add(
            (1...20).map { ask in
                observed.run(ask) {
                    let isCancelled = Task.isCancelled
                    withUnsafeCurrentTask { $0?.cancel() }
                    return Data([isCancelled ? 1 : 0])
                }
            }
        )
        for ask in 1...20 { #expect(try await observed.bytes(UInt64(ask)) == Data([0])) }
    }

    @Test("The cancellation of a run reaches its handler and no other")
    func cancelled() async throws {
        let observed = Observed()
        let queue = HandlerQueue()
        let begun = PendingResult<Void>()
        let wasCancelled = PendingResult<Void>()
        let first = observed.run(1) {
            await withTaskCancellationHandler {
                begun.resolve(.success(()))
                try? await wasCancelled.value(onCancel: {})
            } onCancel: {
                wasCancelled.resolve(.success(()))
            }
            return Data()
        }
        queue.add([first])
        try await begun.value(onCancel: {})
        first.cancel()
        queue.add((2...20).map { ask in observed.run(ask) { Data([Task.isCancelled ? 1 : 0]) } })
        for ask in 2...20 { #expect(try await observed.bytes(UInt64(ask)) == Data([0])) }
        #expect(!observed.result(1).isResolved)
    }

    @Test("A run that is cancelled before its start does not start, and the others do")
    func cancelledBeforeStart() async throws {
        let observed = Observed()
        let starts = Counter()
        let runs = (1...20).map { ask in
            observed.run(UInt64(ask)) {
                starts.increment()
                return Data([UInt8(ask)])
            }
        }
        for run in runs.prefix(19) { run.cancel() }
        HandlerQueue().add(runs)
        #expect(try await observed.bytes(20) == Data([20]))
        #expect(starts.value == 1)
    }

    @Test("A task that is cancelled before it is known is cancelled as soon as it is")
    func cancelledTask() async {
        let task = CancellableTask()
        task.cancel()
        let gate = PendingResult<Void>()
        let waiting = Task { _ = try? await gate.value { gate.resolve(.failure(.cancelled)) } }
        task.adopt(waiting)
        await waiting.value
        #expect(waiting.isCancelled)
    }
}

extension HandlerQueue {
    fileprivate func add(_ runs: [HandlerRun]) {
        for run in runs { add(run) }
    }
}
