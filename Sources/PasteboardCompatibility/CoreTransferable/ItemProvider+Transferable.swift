public import PasteboardKit

extension ItemProvider {
    /// Promises a value in each of its representations, best first.
    ///
    /// The value is made again at each load, and now if a representation has a condition or suggests a name. A type
    /// that the provider has is not registered again. A suggested name becomes the
    /// ``PasteboardKit/ItemProvider/suggestedName`` if there is none.
    public func register<T: Transferable>(_ transferable: @autoclosure @escaping @Sendable () -> T) {
        var name: String?
        for form in T.forms {
            guard let export = form.export, !form.types.contains(where: registeredContentTypes.contains),
                form.condition?(transferable()) ?? true
            else { continue }
            export(self, form.visibility, transferable)
            name = form.suggestedFileName?(transferable()) ?? name
        }
        suggestedName = suggestedName ?? name
    }

    /// Makes a value by the first of its representations that the item has, on a thread of the library.
    ///
    /// Cancelling the task or `progress` cancels the load, which then throws `cancelled`.
    ///
    /// - Parameters:
    ///   - transferableType: the type of the value.
    ///   - progress: receives the progress of the load; it belongs to this load alone.
    /// - Throws: a ``PasteboardKit/PasteboardError``, with `type-unavailable` if the item has none of the types, or the
    ///   error of the representation.
    public func loadTransferable<T: Transferable>(
        type transferableType: T.Type,
        progress: LoadProgress? = nil
    ) async throws -> T {
        for form in T.forms {
            guard let load = form.load, bestType(of: form.types) != nil else { continue }
            return try await withTaskExecutorPreference(ThreadPool.completions) { try await load(self, progress) }
        }
        // The load of an item whose source has ended fails with an error that names the source.
        if registeredContentTypes.isEmpty { _ = try await loadData(forFirstOf: T.forms.flatMap(\.types)) }
        progress?.end(byteCount: nil)
        let offered = registeredTypeIdentifiers.joined(separator: ", ")
        throw PasteboardError(.typeUnavailable, message: "no \(T.self) can be made of an item that has \(offered)")
    }

    /// Makes a value as ``loadTransferable(type:progress:)`` does, and calls the completion handler once, on a thread
    /// of the library.
    ///
    /// - Returns: the progress of the load, immediately. Cancelling it ends the load with the error `cancelled`.
    @discardableResult
    public func loadTransferable<T: Transferable>(
        type transferableType: T.Type,
        completionHandler: @escaping @Sendable (Result<T, any Error>) -> Void
    ) -> LoadProgress {
        startLoad({ try await self.loadTransferable(type: T.self, progress: $0) }, completion: completionHandler)
    }
}
