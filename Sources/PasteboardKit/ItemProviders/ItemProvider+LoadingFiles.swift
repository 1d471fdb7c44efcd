public import FoundationEssentials
import PasteboardClient

// As files: the bytes never have to fit into memory. What the source has in a file is copied by the kernel.
extension ItemProvider {
    /// Loads the bytes into a file, which exists while `body` runs: move or copy it away to keep it.
    ///
    /// The file is in a directory of its own and named after ``suggestedName``, made harmless, with the extension of the
    /// type. Cancelling the task cancels the load, and so does cancelling `progress`; then it throws `cancelled`.
    ///
    /// - Parameters:
    ///   - contentType: the type that is wanted.
    ///   - timeout: when the load has to be over.
    ///   - progress: is told how far the load is; it belongs to this load alone.
    ///   - body: gets the file, with the type that the source really gave.
    /// - Throws: ``PasteboardError``, `noSpace` among them if the disk is full, and what `body` throws.
    public func withLoadedFile<Result: Sendable>(
        for contentType: UniformType,
        timeout: Duration? = nil,
        progress: LoadProgress? = nil,
        _ body: @Sendable (Loaded<URL>) async throws -> Result
    ) async throws -> Result {
        let loaded = try await loadBytes(for: contentType, timeout: timeout, progress: progress)
        // Writing may wait for a disk, which the threads of Swift's tasks should not.
        let file = try await withTaskExecutorPreference(HandlerPool.shared) {
            let file = try LoadedFile(SafeFileName(suggested: suggestedName, type: loaded.type))
            try await loaded.value.write(to: file)
            return file
        }
        defer { withExtendedLifetime(file) {} }
        return try await body(Loaded(value: file.url, type: loaded.type))
    }

    /// Loads the bytes into a file and calls the handler with it or with a ``PasteboardError``, once, on a thread of the
    /// library, which it may block. The file is removed when the handler returns, as NSItemProvider's is: move or copy it
    /// away to keep it.
    ///
    /// - Returns: the load's progress, at once. Cancelling it ends the load with the error `cancelled`.
    @discardableResult
    public func loadFileRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) -> LoadProgress {
        let progress = LoadProgress()
        Task(executorPreference: HandlerPool.shared) {
            do {
                try await self.withLoadedFile(
                    for: UniformType(importedAs: typeIdentifier),
                    progress: progress
                ) { loaded in
                    completionHandler(loaded.value, nil)
                }
            } catch {
                completionHandler(nil, error)
            }
        }
        return progress
    }
}
