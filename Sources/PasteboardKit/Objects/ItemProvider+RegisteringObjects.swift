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
            register(type, visibility.stricter(own)) { completion in
                object.loadData(withTypeIdentifier: identifier, forItemProviderCompletionHandler: completion)
            }
        }
    }

    /// The types that are not registered yet, each once.
    package func missingTypes(of identifiers: [String]) -> [(identifier: String, type: UniformType)] {
        var seen = Set(registeredContentTypes)
        return identifiers.map { ($0, UniformType(importedAs: $0)) }.filter { seen.insert($0.1).inserted }
    }
}

extension ItemProviderRepresentationVisibility {
    /// The stricter visibility of the two, which includes fewer processes.
    package func stricter(_ other: Self) -> Self {
        rawValue < other.rawValue ? other : self
    }
}
