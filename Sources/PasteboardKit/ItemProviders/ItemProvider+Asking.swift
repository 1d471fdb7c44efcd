import PasteboardTransport

// None of these asks a handler or the broker.
extension ItemProvider {
    /// The types the item can be had as, best first.
    public var registeredTypeIdentifiers: [String] {
        registeredContentTypes.map(\.identifier)
    }

    /// The types the item can be had as, best first.
    public var registeredContentTypes: [UniformType] {
        contents.representations.map(\.type)
    }

    /// Those of the item's types that conform to `contentType`, best first.
    public func registeredContentTypes(conformingTo contentType: UniformType) -> [UniformType] {
        registeredContentTypes.filter { $0.conforms(to: contentType) }
    }

    /// Whether a load as this type can be tried: whether it, or a type that conforms to it, is registered.
    public func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool {
        contents.representation(for: UniformType(importedAs: typeIdentifier)) != nil
    }

    /// Whether a load as this type can be tried: whether it, or a type that conforms to it, is registered.
    public func hasRepresentationConforming(toTypeIdentifier typeIdentifier: String) -> Bool {
        hasItemConformingToTypeIdentifier(typeIdentifier)
    }
}
