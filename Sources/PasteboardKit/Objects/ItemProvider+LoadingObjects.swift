package import FoundationEssentials

// An object is made from the first of the item's types, in the source's order, that the class reads. The source's order
// is that of fidelity; the order of the class does not matter, as with NSItemProvider. Of several encodings of a text,
// UTF-8 is preferred, then UTF-16.
extension ItemProvider {
    /// Whether an object of the class can be loaded: whether the class reads one of the item's types, or a type that
    /// one of them conforms to. ``load(_:options:progress:)`` finds the type in the same way. Nothing is loaded.
    public func canLoad(_ aClass: any ItemProviderReading.Type) -> Bool {
        representations.loadable.best(of: aClass.readableTypes, preferring: .source) != nil
    }

    /// Loads an object.
    ///
    /// Cancelling the task or `progress` cancels the load, which then throws `cancelled`. Neither stops the class once
    /// it has the bytes.
    ///
    /// - Parameters:
    ///   - aClass: the class of the object, which is made from the bytes on a thread of the library.
    ///   - options: the conditions of the load. The timeout does not include the making of the object.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    /// - Throws: a ``PasteboardError``, with `type-unavailable` if the item has no type that the class reads, or the
    ///   unchanged error that the class threw for the bytes.
    public func load<T: ItemProviderReading>(
        _ aClass: T.Type,
        options: LoadOptions = LoadOptions(),
        progress: LoadProgress? = nil
    ) async throws -> sending T {
        try await loadData(readBy: T.self, options, progress: progress).object(T.self)
    }

    package func loadData(
        readBy aClass: any ItemProviderReading.Type,
        _ options: LoadOptions = LoadOptions(),
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        // The load of a promise whose source has ended fails with an error that names the source.
        guard let found = representations.best(of: aClass.readableTypes, preferring: .source) else {
            progress?.end(byteCount: nil)
            throw .typeUnavailable(readBy: aClass, among: registeredContentTypes)
        }
        return try await data(of: found, options, progress: progress)
    }
}

extension Loaded<Data> {
    /// Makes an object from the bytes, on a thread of the library.
    func object<T: ItemProviderReading>(_ aClass: T.Type) async throws -> sending T {
        try await withTaskExecutorPreference(ThreadPool.completions) {
            try T.object(withItemProviderData: value, typeIdentifier: type.identifier)
        }
    }
}

extension PasteboardError {
    fileprivate static func typeUnavailable(
        readBy aClass: any ItemProviderReading.Type,
        among types: [UniformType]
    ) -> PasteboardError {
        let readable = aClass.readableTypeIdentifiersForItemProvider.joined(separator: ", ")
        return PasteboardError(
            .typeUnavailable,
            message: "cannot make \(aClass) from the item: it requires one of \(readable); \(types.asAvailable)"
        )
    }
}
