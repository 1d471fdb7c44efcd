import FoundationEssentials
import PasteboardTransport

extension ThreadPool {
    /// Returns a value that the program's code makes on one of the threads. The value is transferred, so it need not be
    /// Sendable.
    func value<Value>(_ body: @escaping @Sendable () throws -> sending Value) async throws -> sending Value {
        let order = SanitizerOrder()
        defer { order.acquire() }
        return try await withCheckedThrowingContinuation { continuation in
            run {
                do {
                    let value = try body()
                    order.release()
                    continuation.resume(returning: value)
                } catch {
                    order.release()
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
