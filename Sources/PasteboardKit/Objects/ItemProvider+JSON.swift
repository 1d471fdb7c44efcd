import FoundationEssentials

extension ItemProvider {
    /// Promises the item as JSON of a type, which is encoded at each load.
    ///
    /// - Parameters:
    ///   - value: what is encoded, as `JSONEncoder` does it by default. What the encoding throws is told to the destination
    ///     as the source's own error.
    ///   - contentType: the type of the bytes: the program's own, as a rule, or `public.json`.
    ///   - visibility: who may see that there is such a representation.
    public func registerJSON<T: Encodable & Sendable>(
        _ value: T,
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all
    ) {
        registerDataRepresentation(for: contentType, visibility: visibility) { completion in
            do {
                completion(try JSONEncoder().encode(value), nil)
            } catch {
                completion(nil, error)
            }
            return nil
        }
    }

    /// Loads the bytes of a type and decodes them as JSON, as `JSONDecoder` does it by default.
    ///
    /// Cancelling the task cancels the load; then it throws `cancelled`.
    ///
    /// - Parameters:
    ///   - type: what the JSON describes. It is decoded on a thread of the library, so the conformance cannot be isolated.
    ///   - contentType: the type that is wanted; one that conforms to it will do.
    ///   - timeout: when the bytes have to be there. Without it, a source that neither gives bytes nor reports progress for
    ///     30 s is given up.
    /// - Throws: a ``PasteboardError``, or the `DecodingError` of bytes that do not describe such a value.
    public func loadJSON<T: Decodable & SendableMetatype>(
        _ type: T.Type,
        for contentType: UniformType,
        timeout: Duration? = nil
    ) async throws -> sending T {
        let loaded = try await loadData(for: contentType, timeout: timeout)
        return try await HandlerPool.completions.value { try JSONDecoder().decode(T.self, from: loaded.value) }
    }
}
