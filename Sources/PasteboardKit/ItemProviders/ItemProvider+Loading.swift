public import FoundationEssentials

// A load asks for a type and gets the first representation, in the source's order, that is of this type or of one that
// conforms to it; its bytes are not converted. It always ends: with the bytes, or with an error.
extension ItemProvider {
    /// Loads the bytes into memory.
    ///
    /// Cancelling the task cancels the load, and so does cancelling `progress`; then it throws `cancelled`.
    ///
    /// - Parameters:
    ///   - contentType: the type that is wanted.
    ///   - timeout: when the load has to be over. Without it, a source that neither gives bytes nor reports progress for
    ///     30 s is given up.
    ///   - progress: is told how far the load is; it belongs to this load alone.
    public func loadData(
        for contentType: UniformType,
        timeout: Duration? = nil,
        progress: LoadProgress? = nil
    ) async throws(PasteboardError) -> Loaded<Data> {
        let representation = try representation(for: contentType)
        switch representation.origin {
        case .handler(let handler):
            let load = LocalLoad(handler, type: representation.type, progress: progress)
            return try await load.run(timeout: timeout)
        case .remote(let remote):
            return try await remote.loadData(timeout: timeout, progress: progress)
        }
    }

    /// Loads the bytes as they come, and returns once it is known what will come.
    ///
    /// Cancelling the task that waits here or reads, cancelling `progress` and letting go of the chunks cancel the load.
    ///
    /// - Parameters:
    ///   - contentType: the type that is wanted.
    ///   - timeout: when the load has to be over, the reading of the chunks included.
    ///   - progress: is told how far the load is; it belongs to this load alone.
    public func loadBytes(
        for contentType: UniformType,
        timeout: Duration? = nil,
        progress: LoadProgress? = nil
    ) async throws(PasteboardError) -> Loaded<ByteChunks> {
        let representation = try representation(for: contentType)
        switch representation.origin {
        case .handler(let handler):
            let load = LocalLoad(handler, type: representation.type, progress: progress)
            let data = try await load.run(timeout: timeout)
            let chunks = ByteChunks(byteCount: Int64(data.value.count), source: ByteChunks.Source(.data(data.value)))
            return Loaded(value: chunks, type: data.type)
        case .remote(let remote):
            return try await remote.loadBytes(timeout: timeout, progress: progress)
        }
    }

    /// Loads the bytes into memory and calls the handler with them or with a ``PasteboardError``, once, on a thread of the
    /// library, which it may block.
    ///
    /// - Returns: the load's progress, at once. Cancelling it ends the load with the error `cancelled`.
    @discardableResult
    public func loadDataRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress {
        loadDataRepresentation(for: UniformType(importedAs: typeIdentifier), completionHandler: completionHandler)
    }

    /// Loads the bytes into memory and calls the handler with them or with a ``PasteboardError``, once, on a thread of the
    /// library, which it may block.
    ///
    /// - Returns: the load's progress, at once. Cancelling it ends the load with the error `cancelled`.
    @discardableResult
    public func loadDataRepresentation(
        for contentType: UniformType,
        completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress {
        let progress = LoadProgress()
        Task(executorPreference: HandlerPool.shared) {
            do throws(PasteboardError) {
                let loaded = try await self.loadData(for: contentType, progress: progress)
                completionHandler(loaded.value, nil)
            } catch {
                completionHandler(nil, error)
            }
        }
        return progress
    }

    private func representation(for type: UniformType) throws(PasteboardError) -> ProviderContents.Representation {
        let contents = contents
        guard let representation = contents.representation(for: type) else {
            throw .typeUnavailable(type, among: contents.representations.map(\.type))
        }
        return representation
    }
}
