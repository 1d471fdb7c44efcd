import FoundationEssentials
import PasteboardTransport

extension HandlerPool {
    /// What a program's code makes on one of the threads. It is handed over, so it need not be Sendable.
    func value<Value>(_ body: @escaping @Sendable () throws -> sending Value) async throws -> sending Value {
        // A continuation that is resumed before it is awaited is no order that ThreadSanitizer can see, see `PendingResult`.
        let isMade = Lock(false)
        defer { isMade.withLock { _ in } }
        return try await withCheckedThrowingContinuation { continuation in
            run {
                do {
                    let value = try body()
                    isMade.withLock { $0 = true }
                    continuation.resume(returning: value)
                } catch {
                    isMade.withLock { $0 = true }
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
