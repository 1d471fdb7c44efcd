import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct PendingResultTests {
    @Test("A wait that begins after the result returns it")
    func early() async throws {
        let result = PendingResult<Int>()
        #expect(!result.isResolved)
        #expect(result.resolve(.success(1)))
        #expect(result.isResolved)
        #expect(try await result.value(onCancel: {}) == 1)
        #expect(result.isResolved)
    }

    @Test("A result that arrives during the wait ends it")
    func late() async throws {
        let (result, started) = (PendingResult<Int>(), Gate())
        let wait = Task { try await result.value(onCancel: {}) { started.open() } }
        await started.wait()
        result.resolve(.success(2))
        #expect(try await wait.value == 2)
    }

    @Test("Only the first result counts, before and after its delivery")
    func first() async throws {
        let result = PendingResult<Int>()
        #expect(result.resolve(.failure(.cancelled)))
        #expect(!result.resolve(.success(1)))
        await #expect(throws: PasteboardError.self) { try await result.value(onCancel: {}) }
        #expect(!result.resolve(.success(1)))
    }

    @Test("Of many threads that resolve a result at once, exactly one is the first")
    func race() async throws {
        for _ in 0..<50 {
            let (result, first) = (PendingResult<Int>(), Counter())
            let value = try await withThrowingDiscardingTaskGroup(returning: Int.self) { group in
                for number in 0..<8 {
                    group.addTask { if result.resolve(.success(number)) { first.increment() } }
                }
                return try await result.value(onCancel: {})
            }
            #expect((0..<8).contains(value))
            #expect(first.value == 1)
        }
    }

    @Test("A delivered result is not kept")
    func released() async throws {
        final class Value: Sendable {}
        let result = PendingResult<Value>()
        var value: Value? = Value()
        weak let reference = value
        result.resolve(.success(value!))
        value = nil
        #expect(reference != nil)
        _ = try await result.value(onCancel: {})
        #expect(reference == nil)
    }

    @Test("The cancellation of the waiting task is reported once, and before the start if it was earlier")
    func cancelled() async throws {
        let (cancelled, started) = (Counter(), Counter())
        let gate = Gate()
        let wait = Task {
            await gate.wait()
            let result = PendingResult<Int>()
            return try await result.value {
                cancelled.increment()
                result.resolve(.failure(.cancelled))
            } start: {
                #expect(result.isResolved)
                started.increment()
            }
        }
        wait.cancel()
        gate.open()
        let error = await #expect(throws: PasteboardError.self) { try await wait.value }
        #expect(error?.code == .cancelled)
        #expect(cancelled.value == 1)
        #expect(started.value == 1)
    }

    // MARK: Calls

    @Test("A call without remaining time fails with its timeout and is withdrawn before its request is made")
    func noTime() async throws {
        let (result, withdrawn) = (PendingResult<Int>(), Counter())
        let error = await #expect(throws: PasteboardError.self) {
            try await result.value(for: Call("the test", timeout: .zero)) {
                withdrawn.increment()
            } start: {
                #expect(result.isResolved)
            }
        }
        #expect(error?.code == .timeout)
        #expect(error?.message == "the test did not end within 0.0 seconds")
        #expect(withdrawn.value == 1)
    }

    @Test("A timeout withdraws the request, and a later result is ignored")
    func timeout() async throws {
        let (result, withdrawn) = (PendingResult<Int>(), Counter())
        let error = await #expect(throws: PasteboardError.self) {
            try await result.value(for: Call("the test", besides: "the rest", timeout: .milliseconds(1))) {
                withdrawn.increment()
            } start: {
            }
        }
        #expect(error?.message == "the test did not end within 0.001 seconds; the rest continues")
        #expect(withdrawn.value == 1)
        #expect(!result.resolve(.success(1)))
    }

    @Test("A cancellation after the result does not replace it and withdraws nothing")
    func cancelledLate() async throws {
        let (result, withdrawn) = (PendingResult<Int>(), Counter())
        let gate = Gate()
        result.resolve(.success(1))
        let wait = Task {
            await gate.wait()
            return try await result.value(for: Call("the test")) {
                withdrawn.increment()
            } start: {
            }
        }
        wait.cancel()
        gate.open()
        #expect(try await wait.value == 1)
        #expect(withdrawn.value == 0)
    }
}
