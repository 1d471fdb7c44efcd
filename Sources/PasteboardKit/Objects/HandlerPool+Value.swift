extension HandlerPool {
    /// What a program's code makes on one of the threads. It is handed over, so it need not be Sendable.
    func value<Value>(_ body: @escaping @Sendable () throws -> sending Value) async throws -> sending Value {
        try await withCheckedThrowingContinuation { continuation in
            run {
                do {
                    continuation.resume(returning: try body())
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
