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
    ///   - contentType: the requested type. ``loadData(forFirstOf:preferring:options:progress:)`` also returns the type
    ///     that the bytes have.
    ///   - options: the conditions of the load.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    /// - Throws: `type-unavailable` if the item has no such type; otherwise the error that ended the load.
    public func loadData(
        for contentType: UniformType,
        options: LoadOptions = LoadOptions(),
        progress: LoadProgress? = nil
    ) async throws(PasteboardError) -> Data {
        try await data(of: try representation(for: contentType, progress), options, progress: progress).value
    }

    /// Loads the bytes of the best of several types into memory: the type that ``bestType(of:preferring:)`` returns.
    ///
    /// - Parameters:
    ///   - accepted: the types that the caller accepts, best first.
    ///   - preference: the order that decides: that of the item or that of `accepted`.
    ///   - options: the conditions of the load.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    /// - Returns: the bytes, with the type that the source provided.
    /// - Throws: as ``loadData(for:options:progress:)``.
    public func loadData(
        forFirstOf accepted: [UniformType],
        preferring preference: LoadPreference = .source,
        options: LoadOptions = LoadOptions(),
        progress: LoadProgress? = nil
    ) async throws(PasteboardError) -> Loaded<Data> {
        let representations = representations
        guard let representation = representations.best(of: accepted, preferring: preference) else {
            progress?.end(byteCount: nil)
            throw .typeUnavailable(accepted, among: representations.map(\.type))
        }
        return try await data(of: representation, options, progress: progress)
    }

    // Inlined, because an asynchronous call costs as much as the choice of the representation.
    @inline(__always)
    func data(
        of representation: ProviderContents.Representation,
        _ options: LoadOptions,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        if let remote = representation.remote {
            return try await remote.loadData(options, progress: progress)
        }
        return try await localData(of: representation, options, progress: progress)
    }

    /// Loads data that this process makes or converts.
    private func localData(
        of representation: ProviderContents.Representation,
        _ options: LoadOptions,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        switch representation.origin {
        case .handler(let registration):
            return try await LocalLoad(registration, type: representation.type, progress: progress).data(options)
        case .remote(let remote):
            return try await remote.loadData(options, progress: progress)
        case .utf8Text(of: let remote):
            do throws(PasteboardError) {
                let native = try await remote.loadData(options, progress: progress?.makePart())
                // The text may be long.
                let text = try await withTaskExecutorPreference(ThreadPool.files) { () throws(PasteboardError) in
                    try utf8Text(of: native.value, type: native.type)
                }
                if Task.isCancelled { throw PasteboardError.cancelled }
                // In UTF-8 the text may be longer.
                guard text.count <= options.maximum else {
                    throw PasteboardError.tooLarge(
                        representation.type,
                        UInt64(clamping: text.count),
                        maximum: options.maximum
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
    ///   - options: the conditions of the load. The timeout includes the reading of the chunks. More bytes than the
    ///     largest number fail before the first chunk if the size is known.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    /// - Throws: as ``loadData(for:options:progress:)``.
    public func loadBytes(
        for contentType: UniformType,
        options: LoadOptions = LoadOptions(),
        progress: LoadProgress? = nil
    ) async throws(PasteboardError) -> ByteChunks {
        let load = try await open(try representation(for: contentType, progress), options, progress: progress)
        return ByteChunks(load.reader, type: load.dataType)
    }

    // MARK: The start of all loads

    /// Begins a load whose result is passed to a callback, on a thread of the library that the callback may block. If
    /// the item belongs to a drop that is being performed, the drop waits for the callback.
    ///
    /// - Returns: the progress of the load, which `body` passes on to the load.
    package func beginLoad(_ body: sending @escaping (LoadProgress) async -> Void) -> LoadProgress {
        let progress = LoadProgress(of: dropCall())
        Task(executorPreference: ThreadPool.completions) {
            defer { progress.call?.release() }
            await body(progress)
        }
        return progress
    }

    /// Begins a call of a drop.
    func dropCall() -> DropWindow.Hold? {
        representations.lazy.compactMap(\.origin.source?.window).first?.call()
    }

    /// - Parameter inPlace: whether the source's own file is accepted instead of a copy.
    func open(
        _ representation: ProviderContents.Representation,
        inPlace: Bool = false,
        _ options: LoadOptions,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> OpenedLoad {
        var load: OpenedLoad
        switch representation.origin {
        case .handler(let registration):
            let inPlace = inPlace && representation.opensInPlace
            let local = LocalLoad(registration, type: representation.type, progress: progress)
            load = try await local.open(inPlace: inPlace, options)
        case .remote(let remote):
            load = try await remote.open(inPlace: inPlace, options, progress: progress)
        case .utf8Text:
            let data = try await data(of: representation, options, progress: progress)
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
