import FoundationEssentials
import PasteboardTransport

extension ThreadPool {
    /// Returns a value that the program's code makes on one of the threads. The value is transferred, so it need not be
    /// Sendable.
    func value<Value>(_ body: @escaping @Sendable () throws -> sending Value) async throws -> sending Value {
        // ThreadSanitizer sees no order between the two threads if a continuation is resumed before it is awaited; see
        // `PendingResult`.
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
