public import PasteboardKit

// Questions about an item's types, by their identifiers. None of these members calls a handler or the broker.
extension ItemProvider {
    /// The types in which the item is available, best first.
    public var registeredTypeIdentifiers: [String] { registeredContentTypes.map(\.identifier) }

    /// The types of the representations that have all of these options, best first; all types if there are no options.
    public func registeredTypeIdentifiers(fileOptions: ItemProviderFileOptions) -> [String] {
        types(fileOptions).map(\.identifier)
    }

    /// The types whose file a destination may open in place, best first.
    public var registeredContentTypesForOpenInPlace: [UniformType] { typesForOpenInPlace }

    /// The item's types that conform to `contentType`, best first.
    public func registeredContentTypes(conformingTo contentType: UniformType) -> [UniformType] {
        registeredContentTypes.filter { $0.conforms(to: contentType) }
    }

    /// Whether this type, or a type that conforms to it, is registered, so that a load as this type can be tried.
    public func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool {
        canLoad(UniformType(importedAs: typeIdentifier))
    }

    /// Whether this type, or a type that conforms to it, is registered with all of these options, so that a load as
    /// this type can be tried.
    public func hasRepresentationConforming(
        toTypeIdentifier typeIdentifier: String,
        fileOptions: ItemProviderFileOptions = []
    ) -> Bool {
        let type = UniformType(importedAs: typeIdentifier)
        return types(fileOptions).contains { $0.conforms(to: type) }
    }

    private func types(_ options: ItemProviderFileOptions) -> [UniformType] {
        options.contains(.openInPlace) ? typesForOpenInPlace : registeredContentTypes
    }
}

/// The permitted uses of a representation's file.
public struct ItemProviderFileOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Makes options from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// A destination may open the original in place, for reading; otherwise it gets a copy.
    public static let openInPlace = ItemProviderFileOptions(rawValue: 1)
}
