import PasteboardKit
import PasteboardTransport

/// A call of a pasteboard for which the current thread waits.
///
/// It runs as a task on threads of the library, because all threads of Swift's tasks may wait for such calls.
package final class BlockingCall<Value: Sendable>: Sendable {
    private let result = Lock<Result<Value, any Error>?>(nil)
    private let end = Semaphore()

    private init() {}

    /// Waits for the end of a call. The reason of a failure is printed on standard error.
    ///
    /// - Parameters:
    ///   - pasteboard: the pasteboard from which the call loads. Its owner may be this program.
    ///   - body: the call.
    /// - Returns: nil if the call has failed.
    package static func value(
        loadingFrom pasteboard: Pasteboard? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Value? {
        guard UsingProcess.owner.isInOwner else {
            FailureLog.print("a process that was created by fork cannot use the pasteboards of its parent; use exec")
            return nil
        }
        let call = BlockingCall()
        Task(executorPreference: ThreadPool.calls) {
            let result: Result<Value, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            call.result.withLock { $0 = result }
            call.end.signal()
        }
        MainThread.waits(forLoadFrom: pasteboard) { call.end.wait() }
        switch call.result.withLock({ $0 }) {
        case .success(let value): return value
        case .failure(let error): FailureLog.print("\(error)")
        case nil: break
        }
        return nil
    }
}

/// The process whose threads run the calls. A child that was created by `fork` does not have them.
private enum UsingProcess {
    static let owner = ForkGuard()
}

/// The reasons of failures, on standard error: the first hundred, each once.
private enum FailureLog {
    private static let reasons = Lock<Set<String>>([])

    static func print(_ reason: String) {
        guard reasons.withLock({ $0.count < 100 && $0.insert(reason).inserted }) else { return }
        try? System.write(Array("pasteboard: \(reason)\n".utf8).span, to: 2, raisesSignal: false)
    }
}
