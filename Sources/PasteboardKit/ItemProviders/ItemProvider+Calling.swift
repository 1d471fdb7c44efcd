extension ItemProvider {
    /// The threads of completion handlers, on which objects are also made from loaded bytes.
    package static var completionExecutor: any TaskExecutor { ThreadPool.completions }

    /// Runs a load on the threads of completion handlers, and returns its progress at once. A drop that is being
    /// performed waits for the end of `body`.
    package func startLoad(_ body: @escaping @Sendable (LoadProgress) async -> Void) -> LoadProgress {
        let progress = LoadProgress(of: dropCall())
        Task(executorPreference: ThreadPool.completions) {
            defer { progress.call?.release() }
            await body(progress)
        }
        return progress
    }

    /// Whether a load of the type gets the file for which its source made the provider.
    package func isMadeForFile(_ type: UniformType) -> Bool {
        representations.best(for: type)?.file != nil
    }
}
