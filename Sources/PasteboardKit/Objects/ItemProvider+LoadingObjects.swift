import FoundationEssentials

// An object is made of the first of the item's types, in its source's order, that the class reads: the source's order is
// that of fidelity, and the class's own order does not matter, as with NSItemProvider.
extension ItemProvider {
    /// Whether an object of the class can be loaded: whether the item has a type that the class reads, or one that conforms
    /// to such a type. ``loadObject(ofClass:timeout:progress:)`` finds the type in the same way. Nothing is loaded.
    public func canLoadObject(ofClass aClass: any ItemProviderReading.Type) -> Bool {
        typeRead(by: aClass) != nil
    }

    /// Loads an object and calls the handler with it or with an error, once, on a thread of the library, which it may
    /// block.
    ///
    /// - Parameters:
    ///   - aClass: what is to be made of the bytes.
    ///   - completionHandler: gets the object, or the error: a ``PasteboardError``, or whatever the class threw on the
    ///     bytes.
    /// - Returns: the load's progress, at once. Cancelling it ends the load with the error `cancelled`.
    @discardableResult
    public func loadObject<T: ItemProviderReading>(
        ofClass aClass: T.Type,
        completionHandler: @escaping @Sendable (_ object: sending T?, _ error: (any Error)?) -> Void
    ) -> LoadProgress {
        let progress = LoadProgress(of: dropCall())
        Task(executorPreference: HandlerPool.completions) {
            defer { progress.call?.end() }
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
                // It has come, and is of no use: what was moved must stay where it was.
                progress.call?.fail("no \(T.self) can be made of it: \(error)")
                completionHandler(nil, error)
            }
        }
        return progress
    }

    /// Loads an object.
    ///
    /// Cancelling the task cancels the load, and so does cancelling `progress`; then it throws `cancelled`. Neither stops
    /// the class once it has the bytes.
    ///
    /// - Parameters:
    ///   - aClass: what is to be made of the bytes, on a thread of the library.
    ///   - timeout: when the bytes have to be there. Without it, a source that neither gives bytes nor reports progress for
    ///     30 s is given up.
    ///   - progress: is told how far the load is; it belongs to this load alone.
    /// - Throws: a ``PasteboardError``, `type-unavailable` if the item has no type that the class reads; or whatever the
    ///   class threw on the bytes, as it is.
    public func loadObject<T: ItemProviderReading>(
        ofClass aClass: T.Type,
        timeout: Duration? = nil,
        progress: LoadProgress? = nil
    ) async throws -> sending T {
        let loaded = try await loadData(readBy: T.self, timeout: timeout, progress: progress)
        return try await HandlerPool.completions.value {
            try T.object(withItemProviderData: loaded.value, typeIdentifier: loaded.type.identifier)
        }
    }

    func loadData(
        readBy aClass: any ItemProviderReading.Type,
        timeout: Duration?,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        guard let type = typeRead(by: aClass) else {
            progress?.end(byteCount: nil)
            throw .typeUnavailable(readBy: aClass, among: registeredContentTypes)
        }
        return try await loadData(for: type, timeout: timeout, progress: progress)
    }

    /// The one judge of whether, and of what, the class can be made. A load of the very type finds the very representation:
    /// one before it that conforms to this type would have been the first that the class reads.
    private func typeRead(by aClass: any ItemProviderReading.Type) -> UniformType? {
        let readable = aClass.readableTypeIdentifiersForItemProvider.map { UniformType(importedAs: $0) }
        return registeredContentTypes.first { type in readable.contains { type.conforms(to: $0) } }
    }
}

extension PasteboardError {
    fileprivate static func typeUnavailable(
        readBy aClass: any ItemProviderReading.Type,
        among types: [UniformType]
    ) -> PasteboardError {
        let readable = aClass.readableTypeIdentifiersForItemProvider.joined(separator: ", ")
        let there = types.isEmpty ? "it has none" : "there are: \(types.map(\.identifier).joined(separator: ", "))"
        return PasteboardError(
            .typeUnavailable,
            message: "no \(aClass) can be made of the item, which would need one of \(readable); \(there)"
        )
    }
}
