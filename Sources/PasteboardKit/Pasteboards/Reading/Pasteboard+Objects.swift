public import FoundationEssentials

// Reading and writing a single value.
extension Pasteboard {
    /// Replaces the contents with one object, such as a text or a URL. The broker keeps its bytes, so they outlive this
    /// program.
    ///
    /// - Parameters:
    ///   - object: the object. Other processes must be able to see at least one of its types.
    ///   - keeps: the types whose bytes the object writes now. It is asked for the others when a program loads them,
    ///     which is possible while this program runs.
    ///   - options: the conditions, the flags and the lifetime of the contents.
    ///   - timeout: the maximum duration of the write, which includes connecting.
    /// - Throws: as for a write of item providers.
    @discardableResult
    public func write(
        _ object: any ItemProviderWriting,
        keeps: KeptRepresentations = .everything,
        options: WriteOptions = WriteOptions(),
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> Publication {
        try await write([ItemProvider(object: object)], keeps: keeps, options: options, timeout: timeout)
    }

    /// Replaces the contents with bytes of a type. The broker keeps them, so they outlive this program.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - type: their type.
    ///   - keeps: whether the broker keeps the bytes: `.nothing` for bytes that it gets only when a program loads them.
    ///   - options: the conditions, the flags and the lifetime of the contents.
    ///   - timeout: the maximum duration of the write, which includes connecting.
    /// - Throws: as for a write of item providers.
    @discardableResult
    public func write(
        _ data: Data,
        for type: UniformType,
        keeps: KeptRepresentations = .everything,
        options: WriteOptions = WriteOptions(),
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> Publication {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: type) { data }
        return try await write([provider], keeps: keeps, options: options, timeout: timeout)
    }

    /// Loads an object from the first item that has a type the class reads.
    ///
    /// Without a condition it loads from the contents that the pasteboard has: if they are replaced before the load
    /// begins, it loads from the new ones, for at most 30 s or its timeout.
    ///
    /// - Parameters:
    ///   - aClass: the class of the object. It reads the bytes on a thread of the library.
    ///   - ifChangeCount: the change count that the pasteboard must have; nil: any.
    ///   - options: the conditions of the load.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    /// - Returns: the object; nil if no item has a type that the class reads.
    /// - Throws: `superseded`, with both change counts, if the condition does not hold; `superseded` also if the
    ///   contents are replaced again and again for 30 s, or `timeout` if a timeout is given; otherwise as
    ///   ``ItemProvider/load(_:options:progress:)``.
    public func load<T: ItemProviderReading>(
        _ aClass: T.Type,
        ifChangeCount: ChangeCount? = nil,
        options: LoadOptions = LoadOptions(),
        progress: LoadProgress? = nil
    ) async throws -> sending T? {
        let loaded = try await firstData(
            for: aClass.readableTypes,
            ifChangeCount: ifChangeCount,
            includesGone: true,
            options,
            progress: progress,
            for: Call("the load", timeout: options.timeout)
        )
        return try await loaded?.object(T.self)
    }
}
