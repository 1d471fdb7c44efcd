public import FoundationEssentials

extension ItemProvider {
    /// Promises the item as JSON of a type, which is encoded at each load.
    ///
    /// - Parameters:
    ///   - value: the value that the encoder encodes. An encoding error reaches the destination as the source's own
    ///     error.
    ///   - contentType: the type of the bytes: usually one of the program's own, or `public.json`.
    ///   - visibility: the processes that may see the representation.
    ///   - policy: whether the value is encoded at each load or only once.
    ///   - encoder: the encoder, with its settings for dates, keys and so on. It must not be changed afterwards.
    public func registerJSON<T: Encodable & Sendable>(
        _ value: T,
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        policy: LoadPolicy = .everyTime,
        encoder: JSONEncoder = JSONEncoder()
    ) {
        register(contentType, visibility, policy) { completion in
            do {
                completion(try encoder.encode(value), nil)
            } catch {
                completion(nil, error)
            }
            return nil
        }
    }

    /// Loads the bytes of a type and decodes them as JSON.
    ///
    /// Cancelling the task cancels the load, which then throws `cancelled`.
    ///
    /// - Parameters:
    ///   - type: the type of the decoded value. It is decoded on a thread of the library, so the conformance cannot be
    ///     isolated.
    ///   - contentType: the requested type; a type that conforms to it is accepted, too.
    ///   - options: the conditions of the load. The timeout does not include the decoding.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    ///   - decoder: the decoder, with its settings for dates, keys and so on. It must not be changed during the load.
    /// - Throws: a ``PasteboardError``, or the `DecodingError` if the bytes do not describe such a value.
    public func loadJSON<T: Decodable & SendableMetatype>(
        _ type: T.Type,
        for contentType: UniformType,
        options: LoadOptions = LoadOptions(),
        progress: LoadProgress? = nil,
        decoder: JSONDecoder = JSONDecoder()
    ) async throws -> sending T {
        let data = try await loadData(for: contentType, options: options, progress: progress)
        return try await withTaskExecutorPreference(ThreadPool.completions) {
            try decoder.decode(T.self, from: data)
        }
    }
}
