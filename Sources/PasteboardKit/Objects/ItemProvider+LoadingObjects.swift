import FoundationEssentials

// An object is made from the first of the item's types, in the source's order, that the class reads. The source's order
// is that of fidelity; the order of the class does not matter, as with NSItemProvider. Of several encodings of a text,
// UTF-8 is preferred, then UTF-16.
extension ItemProvider {
    /// Whether an object of the class can be loaded: whether the class reads one of the item's types, or a type that
    /// one of them conforms to. ``loadObject(ofClass:timeout:maximumByteCount:isAutomatic:progress:)`` finds
    /// the type in the same way. Nothing is loaded.
    public func canLoadObject(ofClass aClass: any ItemProviderReading.Type) -> Bool {
        representations.loadable.best(of: aClass.readableTypes, preferring: .source) != nil
    }

    /// Loads an object and calls the completion handler once, with the object or an error. The completion handler runs
    /// on a thread of the library, which it may block.
    ///
    /// - Parameters:
    ///   - aClass: the class of the object that is made from the bytes.
    ///   - completionHandler: receives the object, or the error: a ``PasteboardError``, or the error that the class
    ///     threw for the bytes.
    /// - Returns: the progress of the load, immediately. Cancelling it ends the load with the error `cancelled`.
    @discardableResult
    public func loadObject<T: ItemProviderReading>(
        ofClass aClass: T.Type,
        completionHandler: @escaping @Sendable (_ object: sending T?, _ error: (any Error)?) -> Void
    ) -> LoadProgress {
        let progress = LoadProgress(of: dropCall())
        Task(executorPreference: ThreadPool.completions) {
            defer { progress.call?.release() }
            let loaded: Loaded<Data>
            do {
                loaded = try await self.loadData(readBy: T.self, timeout: nil, progress: progress)
            } catch {
                return completionHandler(nil, error)
            }
            do {
                let object = try T.object(withItemProviderData: loaded.value, typeIdentifier: loaded.type.identifier)
                completionHandler(object, nil)
            } catch {
                // The bytes have arrived but are unusable, so a drop that moves the item must leave it at its source.
                progress.call?.fail("cannot make \(T.self) from the loaded bytes: \(error)")
                completionHandler(nil, error)
            }
        }
        return progress
    }

    /// Loads an object.
    ///
    /// Cancelling the task or `progress` cancels the load, which then throws `cancelled`. Neither stops the class once
    /// it has the bytes.
    ///
    /// - Parameters:
    ///   - aClass: the class of the object, which is made from the bytes on a thread of the library.
    ///   - timeout: the maximum time until all bytes have arrived. Without it, the load fails if the source neither
    ///     provides bytes nor reports progress for 30 s.
    ///   - maximumByteCount: the largest number of bytes that is accepted, as in
    ///     ``loadData(for:timeout:maximumByteCount:isAutomatic:progress:)``.
    ///   - isAutomatic: whether no person asked for the load.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    /// - Throws: a ``PasteboardError``, with `type-unavailable` if the item has no type that the class reads, or the
    ///   unchanged error that the class threw for the bytes.
    public func loadObject<T: ItemProviderReading>(
        ofClass aClass: T.Type,
        timeout: Duration? = nil,
        maximumByteCount: Int? = nil,
        isAutomatic: Bool = false,
        progress: LoadProgress? = nil
    ) async throws -> sending T {
        let bounds = LoadBounds(maximumByteCount: maximumByteCount, isAutomatic: isAutomatic)
        return try await loadData(readBy: T.self, timeout: timeout, bounds, progress: progress).object(T.self)
    }

    func loadData(
        readBy aClass: any ItemProviderReading.Type,
        timeout: Duration?,
        _ bounds: LoadBounds = LoadBounds(),
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        // The load of a promise whose source has ended fails with an error that names the source.
        guard let found = representations.best(of: aClass.readableTypes, preferring: .source) else {
            progress?.end(byteCount: nil)
            throw .typeUnavailable(readBy: aClass, among: registeredContentTypes)
        }
        return try await data(of: found, timeout: timeout, bounds, progress: progress)
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
