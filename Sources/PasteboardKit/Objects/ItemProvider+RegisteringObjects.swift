// One registration of an object stands for all of its types. A type that the provider has already is not registered a
// second time, and keeps its handler, as with NSItemProvider: an object adds what is missing.
extension ItemProvider {
    /// Makes a provider of an object, for everybody who may see what the object says of its types.
    public convenience init(object: any ItemProviderWriting) {
        self.init()
        registerObject(object, visibility: .all)
    }

    /// Promises the item as each of the types the object can be written as, in the object's order.
    ///
    /// The object is kept, and asked at each load.
    ///
    /// - Parameters:
    ///   - object: what is to be had. Its own list of types counts, not that of its class.
    ///   - visibility: who may see the representations; for each type, the stricter of this and of what the object says.
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

    /// Promises the item as each of the types the class can be written as, in the class's order, without an object yet.
    ///
    /// - Parameters:
    ///   - aClass: the class of the object that will be made.
    ///   - visibility: who may see the representations; for each type, the stricter of this and of what the class says.
    ///   - loadHandler: makes the object at each load, on a thread of the library that it may block, and calls its
    ///     completion once, then or later, with the object or an error; of both the error counts, and of several calls
    ///     the first. The object then writes itself. The handler may return a progress: it and the object's own are halves
    ///     of what the destination sees, and both are cancelled when nobody wants the bytes any more.
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

    /// Those of the types that are not registered, each once.
    private func missingTypes(of identifiers: [String]) -> [(identifier: String, type: UniformType)] {
        var seen = Set(registeredContentTypes)
        return identifiers.map { ($0, UniformType(importedAs: $0)) }.filter { seen.insert($0.1).inserted }
    }
}

extension ItemProviderRepresentationVisibility {
    /// The one of the two that fewer processes meet.
    fileprivate func stricter(_ other: Self) -> Self {
        rawValue < other.rawValue ? other : self
    }
}
