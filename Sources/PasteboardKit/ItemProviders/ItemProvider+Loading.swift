public import FoundationEssentials

// A load asks for a type and gets the representation of this type, or the first, in the source's order, of one that
// conforms to it; its bytes are not converted. It always ends: with the bytes, or with an error.
extension ItemProvider {
    /// Loads the bytes into memory.
    ///
    /// Those of a folder are a tar archive of its tree, and the type says so. Cancelling the task cancels the load, and so
    /// does cancelling `progress`; then it throws `cancelled`.
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
        try await data(of: try representation(for: contentType, progress), timeout: timeout, progress: progress)
    }

    /// Loads the bytes of the best of several types into memory: of ``bestType(of:preferring:)``.
    ///
    /// - Parameters:
    ///   - accepted: the types that the caller can do with, best first.
    ///   - preference: whose order decides, the item's or that of `accepted`.
    ///   - timeout: when the load has to be over, as in ``loadData(for:timeout:progress:)``.
    ///   - progress: is told how far the load is; it belongs to this load alone.
    public func loadData(
        forFirstOf accepted: [UniformType],
        preferring preference: LoadPreference = .source,
        timeout: Duration? = nil,
        progress: LoadProgress? = nil
    ) async throws(PasteboardError) -> Loaded<Data> {
        let contents = contents
        guard let representation = contents.representation(forFirstOf: accepted, preferring: preference) else {
            progress?.end(byteCount: nil)
            throw .typeUnavailable(accepted, among: contents.representations.map(\.type))
        }
        return try await data(of: representation, timeout: timeout, progress: progress)
    }

    private func data(
        of representation: ProviderContents.Representation,
        timeout: Duration?,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        switch representation.origin {
        case .handler(let registration):
            return try await LocalLoad(registration, type: representation.type, progress: progress).data(
                timeout: timeout
            )
        case .remote(let remote):
            return try await remote.loadData(timeout: timeout, progress: progress)
        case .utf8Text(of: let remote):
            do throws(PasteboardError) {
                let native = try await remote.loadData(timeout: timeout, progress: progress?.makePart())
                let text = try await HandlerPool.files.utf8Text(of: native)
                progress?.end(byteCount: text.count)
                return Loaded(value: text, type: representation.type)
            } catch {
                progress?.end(byteCount: nil)
                throw error
            }
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
        let load = try await open(contentType, timeout: timeout, progress: progress)
        return Loaded(value: load.chunks, type: load.dataType)
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
        let progress = LoadProgress(of: dropCall())
        Task(executorPreference: HandlerPool.completions) {
            defer { progress.call?.end() }
            do throws(PasteboardError) {
                let loaded = try await self.loadData(for: contentType, progress: progress)
                completionHandler(loaded.value, nil)
            } catch {
                completionHandler(nil, error)
            }
        }
        return progress
    }

    // MARK: What all loads begin with

    /// For a call with a callback: if the item is of a drop that is being performed, the drop waits for it.
    func dropCall() -> (any LoadCall)? {
        contents.representations.lazy.compactMap(\.origin.scope).first?.call()
    }

    /// - Parameter inPlace: whether the source's own file will do, if it may be used.
    func open(
        _ contentType: UniformType,
        timeout: Duration?,
        inPlace: Bool = false,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> OpenedLoad {
        let representation = try representation(for: contentType, progress)
        var load: OpenedLoad
        switch representation.origin {
        case .handler(let registration):
            let inPlace = inPlace && representation.fileOptions.contains(.openInPlace)
            let local = LocalLoad(registration, type: representation.type, progress: progress)
            load = try await local.open(timeout: timeout, inPlace: inPlace)
        case .remote(let remote):
            load = try await remote.open(timeout: timeout, inPlace: inPlace, progress: progress)
        case .utf8Text:
            let data = try await data(of: representation, timeout: timeout, progress: progress)
            load = OpenedLoad(ByteChunks(LoadReader(ChunkStream(data.value))), type: data.type, isArchive: false)
        }
        load.file = representation.file
        return load
    }

    private func representation(
        for type: UniformType,
        _ progress: LoadProgress?
    ) throws(PasteboardError) -> ProviderContents.Representation {
        let contents = contents
        guard let representation = contents.representation(for: type) else {
            progress?.end(byteCount: nil)
            throw .typeUnavailable([type], among: contents.representations.map(\.type))
        }
        return representation
    }
}
