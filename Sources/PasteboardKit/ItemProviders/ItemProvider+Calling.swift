extension ItemProvider {
    /// The threads of completion handlers, on which objects are also made from loaded bytes.
    package static var completionExecutor: any TaskExecutor { ThreadPool.completions }

    /// Runs a load and then the completion handler on the threads of completion handlers. A drop that is being
    /// performed waits for the end of both. If the value cannot be made of what was loaded, a drop that moves the item
    /// leaves it at its source.
    ///
    /// - Returns: the progress of the load, immediately.
    package func startLoad<Value>(
        _ load: @escaping @Sendable (LoadProgress) async throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> LoadProgress {
        let progress = LoadProgress(of: dropCall())
        Task(executorPreference: ThreadPool.completions) {
            defer { progress.call?.release() }
            do {
                completion(.success(try await load(progress)))
            } catch {
                if !(error is PasteboardError) { progress.call?.fail("cannot make \(Value.self): \(error)") }
                completion(.failure(error))
            }
        }
        return progress
    }

    /// Whether a load of the type gets the file for which its source made the provider.
    package func isMadeForFile(_ type: UniformType) -> Bool {
        representations.best(for: type)?.file != nil
    }
}
