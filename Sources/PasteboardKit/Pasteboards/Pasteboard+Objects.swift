// Reading and writing a single object.
extension Pasteboard {
    /// Replaces the contents with one object. The object is asked for its bytes when a program loads them.
    ///
    /// - Parameters:
    ///   - object: the object. Other processes must be able to see at least one of its types.
    ///   - options: the conditions, the flags and the lifetime of the contents.
    ///   - timeout: the maximum duration of the write, which includes connecting.
    /// - Throws: as for a write of item providers.
    @discardableResult
    public func write(
        _ object: any ItemProviderWriting,
        options: WriteOptions = WriteOptions(),
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> Publication {
        try await write([ItemProvider(object: object)], options: options, timeout: timeout)
    }

    /// Loads an object from the first item that has a type the class reads.
    ///
    /// Without a condition it loads from the contents that the pasteboard has: if they are replaced before the load begins,
    /// it loads from the new ones.
    ///
    /// - Parameters:
    ///   - aClass: the class of the object. It reads the bytes on a thread of the library.
    ///   - ifChangeCount: the change count that the pasteboard must have; nil: any.
    ///   - timeout: the maximum duration of the load, which includes connecting. Without it, the load fails if the
    ///     source neither sends bytes nor reports progress for 30 s.
    ///   - maximumByteCount: the largest number of bytes that is accepted, as in
    ///     ``ItemProvider/loadData(for:timeout:maximumByteCount:isAutomatic:retries:progress:)``.
    ///   - isAutomatic: whether no person asked for the load, as in a history.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    /// - Returns: the object; nil if no item has a type that the class reads.
    /// - Throws: `superseded`, with both change counts, if the condition does not hold; otherwise as
    ///   ``ItemProvider/loadObject(ofClass:timeout:maximumByteCount:isAutomatic:retries:progress:)``.
    public func load<T: ItemProviderReading>(
        _ aClass: T.Type,
        ifChangeCount: ChangeCount? = nil,
        timeout: Duration? = nil,
        maximumByteCount: Int? = nil,
        isAutomatic: Bool = false,
        progress: LoadProgress? = nil
    ) async throws -> sending T? {
        let loaded = try await firstData(
            for: aClass.readableTypes,
            ifChangeCount: ifChangeCount,
            includesGone: true,
            LoadBounds(maximumByteCount: maximumByteCount, isAutomatic: isAutomatic),
            progress: progress,
            for: Call("the load", timeout: timeout)
        )
        guard let loaded else { return nil }
        return try await ThreadPool.completions.value {
            try T.object(withItemProviderData: loaded.value, typeIdentifier: loaded.type.identifier)
        }
    }
}
