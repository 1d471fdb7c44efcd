import Foundation
import PasteboardKit
import PasteboardTransport

/// The calls of the program's owners, which may need the main actor while the main thread waits for their data.
enum MainThread {
    /// The pasteboard from which the blocked main thread loads.
    private static let pasteboard = Lock<Pasteboard?>(nil)

    /// Marks the queue of the main actor, which changes its thread in a program whose `main` is asynchronous.
    private static let mark = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Calls `body`, in which the current thread waits.
    ///
    /// - Parameter pasteboard: the pasteboard from which it loads, if it does.
    static func waits(forLoadFrom pasteboard: Pasteboard?, _ body: () -> Void) {
        guard let pasteboard, DispatchQueue.getSpecific(key: mark) ?? Thread.isMainThread else { return body() }
        Self.pasteboard.withLock { $0 = pasteboard }
        body()
        Self.pasteboard.withLock { $0 = nil }
    }

    /// Calls an owner that provides data for a pasteboard, which is nil if its connection has ended.
    ///
    /// The owner runs on the current thread until it waits or needs an actor. An owner that has not returned then may
    /// need the main actor. If the main thread already waits for a load from the same pasteboard, that would not end
    /// before the time limit of the load.
    ///
    /// - Throws: the error of the owner, or `source-failed` if the main thread waits.
    static func asks<Value: Sendable>(
        for pasteboard: Pasteboard?,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let hasReturned = Lock(false)
        let task = Task.immediate(executorPreference: ThreadPool.shared) {
            defer { hasReturned.withLock { $0 = true } }
            return try await body()
        }
        if !hasReturned.withLock(\.self), let waiting = Self.pasteboard.withLock(\.self), let pasteboard,
            waiting.isSame(as: pasteboard)
        {
            task.cancel()
            throw isBlocked
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private static var isBlocked: PasteboardError {
        PasteboardError(
            .sourceFailed,
            message: "the owner of the data has to wait, perhaps for the main actor, whose thread waits for that data; "
                + "let the owner provide it at once, without an actor, or load with `try await`"
        )
    }
}
