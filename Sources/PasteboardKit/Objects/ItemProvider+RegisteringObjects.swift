// One registration of an object registers all of its types. A type that the provider already has is not registered
// again and keeps its handler, as with NSItemProvider: an object adds only the missing types.
extension ItemProvider {
    /// Makes a provider from an object, with the visibility that the object itself has for each type.
    public convenience init(object: any ItemProviderWriting) {
        self.init()
        registerObject(object, visibility: .all)
    }

    /// Promises the item as each of the types that the object can be written as, in the object's order.
    ///
    /// The provider keeps the object and calls it at each load.
    ///
    /// - Parameters:
    ///   - object: the object that is offered. Its own list of types is used, not that of its class.
    ///   - visibility: the processes that may see the representations. For each type, the stricter of this and the
    ///     object's own visibility applies.
    public func registerObject(
        _ object: any ItemProviderWriting,
        visibility: ItemProviderRepresentationVisibility
    ) {
        for (identifier, type) in missingTypes(of: object.writableTypeIdentifiersForItemProvider) {
            let own = object.itemProviderVisibilityForRepresentation(withTypeIdentifier: identifier)
            registerDataRepresentation(for: type, visibility: visibility.stricter(own)) { completion in
                object.loadData(withTypeIdentifier: identifier, forItemProviderCompletionHandler: completion)
            }
        }
    }

    /// Promises the item as each of the types that the class can be written as, in the class's order. The object itself
    /// is made at a load.
    ///
    /// - Parameters:
    ///   - aClass: the class of the object that will be made.
    ///   - visibility: the processes that may see the representations. For each type, the stricter of this and the
    ///     class's own visibility applies.
    ///   - loadHandler: makes the object at each load, on a thread of the library that it may block. It calls its
    ///     completion handler once, before or after it returns, with the object or an error. If it passes both, the
    ///     error counts; only the first call counts. The object then writes itself. The load handler may return a
    ///     progress. That progress and the object's own are each half of the progress that the destination sees, and
    ///     both are cancelled when the bytes are no longer needed.
    public func registerObject<T: ItemProviderWriting>(
        ofClass aClass: T.Type,
        visibility: ItemProviderRepresentationVisibility,
        loadHandler:
            @escaping @Sendable (_ completionHandler: @escaping @Sendable (T?, (any Error)?) -> Void) -> LoadProgress?
    ) {
        for (identifier, type) in missingTypes(of: T.writableTypeIdentifiersForItemProvider) {
            let own = T.itemProviderVisibilityForRepresentation(withTypeIdentifier: identifier)
            registerDataRepresentation(for: type, visibility: visibility.stricter(own)) { completion in
                LazyObjectLoad<T>(typeIdentifier: identifier, completion: completion).run(loadHandler)
            }
        }
    }

    /// The types that are not registered yet, each once.
    private func missingTypes(of identifiers: [String]) -> [(identifier: String, type: UniformType)] {
        var seen = Set(registeredContentTypes)
        return identifiers.map { ($0, UniformType(importedAs: $0)) }.filter { seen.insert($0.1).inserted }
    }
}

extension ItemProviderRepresentationVisibility {
    /// The stricter visibility of the two, which includes fewer processes.
    fileprivate func stricter(_ other: Self) -> Self {
        rawValue < other.rawValue ? other : self
    }
}
