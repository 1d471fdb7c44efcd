import Foundation
import PasteboardKit
import PasteboardTransport

/// The calls of the program's owners, which may need the main actor while the main thread waits for their data.
enum MainThread {
    private struct State {
        /// The pasteboard from which the blocked main thread loads.
        var pasteboard: Pasteboard.Name?
        /// The calls that have not returned: the pasteboards for which they provide data, and what lets them fail.
        var calls: [UInt64: (pasteboard: Pasteboard.Name, fail: @Sendable () -> Void)] = [:]
        var nextCall: UInt64 = 0
    }

    private static let state = Lock(State())

    /// Marks the queue of the main actor, which changes its thread in a program whose `main` is asynchronous.
    private static let mark = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Calls `body`, in which the current thread waits.
    ///
    /// - Parameter pasteboard: the pasteboard from which it loads, if it does.
    static func waits(forLoadFrom pasteboard: Pasteboard.Name?, _ body: () -> Void) {
        guard let pasteboard, DispatchQueue.getSpecific(key: mark) ?? Thread.isMainThread else { return body() }
        let blocked = state.withLock { state in
            state.pasteboard = pasteboard
            return state.calls.values.filter { $0.pasteboard == pasteboard }.map(\.fail)
        }
        for fail in blocked { fail() }
        body()
        state.withLock { $0.pasteboard = nil }
    }

    /// Calls an owner that provides data for a pasteboard.
    ///
    /// The owner runs on the current thread until it waits or needs an actor. An owner that has not returned then may
    /// need the main actor. If the main thread waits for a load from the same pasteboard, that would never end.
    ///
    /// - Throws: the error of the owner, or `source-failed` if the main thread waits.
    static func asks<Value: Sendable>(
        for pasteboard: Pasteboard.Name,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (answers, answer) = AsyncThrowingStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
        let task = Task.immediate(executorPreference: ThreadPool.shared) {
            do {
                answer.yield(try await body())
            } catch {
                answer.finish(throwing: error)
            }
        }
        let fail: @Sendable () -> Void = { answer.finish(throwing: Self.isBlocked) }
        let (call, isBlocked) = state.withLock { state in
            state.nextCall += 1
            state.calls[state.nextCall] = (pasteboard, fail)
            return (state.nextCall, state.pasteboard == pasteboard)
        }
        defer {
            task.cancel()
            state.withLock { _ = $0.calls.removeValue(forKey: call) }
        }
        // Only the first answer counts.
        if isBlocked { fail() }
        for try await value in answers { return value }
        throw CancellationError()
    }

    private static var isBlocked: PasteboardError {
        PasteboardError(
            .sourceFailed,
            message: "the owner of the data needs the main actor, whose thread waits for that data; make the owner "
                + "nonisolated, or load with `try await`"
        )
    }
}
