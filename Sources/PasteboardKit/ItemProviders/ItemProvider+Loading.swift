public import FoundationEssentials

// A load requests a type. It gets the representation of this type, otherwise the first one, in the source's order,
// whose type conforms to it. The bytes are not converted. Every load ends, with the bytes or with an error.
extension ItemProvider {
    /// Loads the bytes into memory.
    ///
    /// The bytes of a folder are a tar archive of its tree, with the type of such an archive. Cancelling the task or
    /// `progress` cancels the load, which then throws `cancelled`.
    ///
    /// - Parameters:
    ///   - contentType: the requested type.
    ///   - timeout: the maximum duration of the load. Without it, the load fails if the source neither provides bytes
    ///     nor reports progress for 30 s.
    ///   - maximumByteCount: the largest number of bytes that is accepted, so that a source that never ends does not
    ///     fill the memory. nil: a quarter of the memory that this process may use. If there are more, the load fails
    ///     with `too-large`.
    ///   - isAutomatic: whether no person asked for the load, as in a history. Concealed contents and contents with a
    ///     limited number of loads refuse it, with `concealed` or `not-permitted`.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    public func loadData(
        for contentType: UniformType,
        timeout: Duration? = nil,
        maximumByteCount: Int? = nil,
        isAutomatic: Bool = false,
        progress: LoadProgress? = nil
    ) async throws(PasteboardError) -> Loaded<Data> {
        let bounds = LoadBounds(maximumByteCount: maximumByteCount, isAutomatic: isAutomatic)
        return try await data(
            of: try representation(for: contentType, progress),
            timeout: timeout,
            bounds,
            progress: progress
        )
    }

    /// Loads the bytes of the best of several types into memory: the type that ``bestType(of:preferring:)`` returns.
    ///
    /// - Parameters:
    ///   - accepted: the types that the caller accepts, best first.
    ///   - preference: the order that decides: that of the item or that of `accepted`.
    ///   - timeout: the maximum duration of the load, as in
    ///     ``loadData(for:timeout:maximumByteCount:isAutomatic:progress:)``.
    ///   - maximumByteCount: the largest number of bytes that is accepted; nil: a quarter of the memory.
    ///   - isAutomatic: whether no person asked for the load.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    public func loadData(
        forFirstOf accepted: [UniformType],
        preferring preference: LoadPreference = .source,
        timeout: Duration? = nil,
        maximumByteCount: Int? = nil,
        isAutomatic: Bool = false,
        progress: LoadProgress? = nil
    ) async throws(PasteboardError) -> Loaded<Data> {
        let representations = representations
        guard let representation = representations.best(of: accepted, preferring: preference) else {
            progress?.end(byteCount: nil)
            throw .typeUnavailable(accepted, among: representations.map(\.type))
        }
        let bounds = LoadBounds(maximumByteCount: maximumByteCount, isAutomatic: isAutomatic)
        return try await data(of: representation, timeout: timeout, bounds, progress: progress)
    }

    // Inlined, because an asynchronous call costs as much as the choice of the representation.
    @inline(__always)
    func data(
        of representation: ProviderContents.Representation,
        timeout: Duration?,
        _ bounds: LoadBounds,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        if let remote = representation.remote {
            return try await remote.loadData(timeout: timeout, bounds, progress: progress)
        }
        return try await localData(of: representation, timeout: timeout, bounds, progress: progress)
    }

    /// Loads data that this process makes or converts.
    private func localData(
        of representation: ProviderContents.Representation,
        timeout: Duration?,
        _ bounds: LoadBounds,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        switch representation.origin {
        case .handler(let registration):
            return try await LocalLoad(registration, type: representation.type, progress: progress).data(
                timeout: timeout,
                maximum: bounds.maximum
            )
        case .remote(let remote):
            return try await remote.loadData(timeout: timeout, bounds, progress: progress)
        case .utf8Text(of: let remote):
            do throws(PasteboardError) {
                let native = try await remote.loadData(timeout: timeout, bounds, progress: progress?.makePart())
                // The text may be long.
                let text = try await withTaskExecutorPreference(ThreadPool.files) { () throws(PasteboardError) in
                    try utf8Text(of: native.value, type: native.type)
                }
                if Task.isCancelled { throw PasteboardError.cancelled }
                // In UTF-8 the text may be longer.
                guard text.count <= bounds.maximum else {
                    throw PasteboardError.tooLarge(
                        representation.type,
                        UInt64(clamping: text.count),
                        maximum: bounds.maximum
                    )
                }
                progress?.end(byteCount: text.count)
                return Loaded(value: text, type: representation.type)
            } catch {
                progress?.end(byteCount: nil)
                throw error
            }
        }
    }

    /// Loads the bytes chunk by chunk. It returns when the source has answered, before the bytes arrive.
    ///
    /// The load is cancelled by cancelling `progress` or the task that waits for the load or reads it, and by releasing
    /// the chunks.
    ///
    /// - Parameters:
    ///   - contentType: the requested type.
    ///   - timeout: the maximum duration of the load, including the reading of the chunks.
    ///   - maximumByteCount: the largest number of bytes that is accepted; nil: any. A load of more fails with
    ///     `too-large`, before the first chunk if the size is known.
    ///   - isAutomatic: whether no person asked for the load, as in
    ///     ``loadData(for:timeout:maximumByteCount:isAutomatic:progress:)``.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    public func loadBytes(
        for contentType: UniformType,
        timeout: Duration? = nil,
        maximumByteCount: Int? = nil,
        isAutomatic: Bool = false,
        progress: LoadProgress? = nil
    ) async throws(PasteboardError) -> Loaded<ByteChunks> {
        let bounds = LoadBounds(maximumByteCount: maximumByteCount, isAutomatic: isAutomatic)
        let representation = try representation(for: contentType, progress)
        let load = try await open(representation, timeout: timeout, bounds, progress: progress)
        return Loaded(value: ByteChunks(load.reader), type: load.dataType)
    }

    /// Loads the bytes into memory and calls the completion handler once, with the bytes or with a ``PasteboardError``.
    /// The completion handler runs on a thread of the library, which it may block.
    ///
    /// - Returns: the progress of the load, immediately. Cancelling it ends the load with the error `cancelled`.
    @discardableResult
    public func loadDataRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress {
        loadDataRepresentation(for: UniformType(importedAs: typeIdentifier), completionHandler: completionHandler)
    }

    /// Loads the bytes into memory and calls the completion handler once, with the bytes or with a ``PasteboardError``.
    /// The completion handler runs on a thread of the library, which it may block.
    ///
    /// - Returns: the progress of the load, immediately. Cancelling it ends the load with the error `cancelled`.
    @discardableResult
    public func loadDataRepresentation(
        for contentType: UniformType,
        completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress {
        let progress = LoadProgress(of: dropCall())
        Task(executorPreference: ThreadPool.completions) {
            defer { progress.call?.release() }
            do throws(PasteboardError) {
                let loaded = try await self.loadData(for: contentType, progress: progress)
                completionHandler(loaded.value, nil)
            } catch {
                completionHandler(nil, error)
            }
        }
        return progress
    }

    // MARK: The start of all loads

    /// Begins a call with a callback. If the item belongs to a drop that is being performed, the drop waits for the
    /// callback.
    func dropCall() -> DropWindow.Hold? {
        representations.lazy.compactMap(\.origin.source?.window).first?.call()
    }

    /// - Parameter inPlace: whether the source's own file is accepted instead of a copy.
    func open(
        _ representation: ProviderContents.Representation,
        timeout: Duration?,
        inPlace: Bool = false,
        _ bounds: LoadBounds = LoadBounds(),
        progress: LoadProgress?
    ) async throws(PasteboardError) -> OpenedLoad {
        var load: OpenedLoad
        switch representation.origin {
        case .handler(let registration):
            let inPlace = inPlace && representation.fileOptions.contains(.openInPlace)
            let local = LocalLoad(registration, type: representation.type, progress: progress)
            load = try await local.open(timeout: timeout, inPlace: inPlace, maximum: bounds.maximumByteCount)
        case .remote(let remote):
            load = try await remote.open(timeout: timeout, inPlace: inPlace, bounds, progress: progress)
        case .utf8Text:
            let data = try await data(of: representation, timeout: timeout, bounds, progress: progress)
            load = OpenedLoad(reader: LoadReader(ChunkStream(data.value)), type: data.type)
        }
        load.file = representation.file ?? load.file
        return load
    }

    func representation(
        for type: UniformType,
        _ progress: LoadProgress?
    ) throws(PasteboardError) -> ProviderContents.Representation {
        let representations = representations
        if let representation = representations.best(for: type) { return representation }
        progress?.end(byteCount: nil)
        throw .typeUnavailable([type], among: representations.map(\.type))
    }
}
