import PasteboardTransport

// None of these asks a handler or the broker. What a process may not see is not there for it.
extension ItemProvider {
    /// The types the item can be had as, best first.
    ///
    /// Of an item of another process whose text is not UTF-8, the last is `UniformType.utf8PlainText`, into which this
    /// library converts it.
    public var registeredTypeIdentifiers: [String] {
        registeredContentTypes.map(\.identifier)
    }

    /// The types of the representations that have all of these options, best first; without options all of them.
    public func registeredTypeIdentifiers(fileOptions: ItemProviderFileOptions) -> [String] {
        contents.representations.filter { $0.fileOptions.isSuperset(of: fileOptions) }.map(\.type.identifier)
    }

    /// The types the item can be had as, best first.
    public var registeredContentTypes: [UniformType] {
        contents.representations.map(\.type)
    }

    /// The types whose file may be opened where it is, best first.
    public var registeredContentTypesForOpenInPlace: [UniformType] {
        contents.representations.filter { $0.fileOptions.contains(.openInPlace) }.map(\.type)
    }

    /// Those of the item's types that conform to `contentType`, best first.
    public func registeredContentTypes(conformingTo contentType: UniformType) -> [UniformType] {
        registeredContentTypes.filter { $0.conforms(to: contentType) }
    }

    /// Whether a load as this type can be tried: whether it, or a type that conforms to it, is registered.
    public func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool {
        hasRepresentationConforming(toTypeIdentifier: typeIdentifier)
    }

    /// Whether a load as this type can be tried: whether it, or a type that conforms to it, is registered with all of these
    /// options.
    public func hasRepresentationConforming(
        toTypeIdentifier typeIdentifier: String,
        fileOptions: ItemProviderFileOptions = []
    ) -> Bool {
        let type = UniformType(importedAs: typeIdentifier)
        return contents.representations.contains { representation in
            representation.fileOptions.isSuperset(of: fileOptions) && representation.type.conforms(to: type)
        }
    }

    /// The one of the item's types that a load which accepts several gives.
    ///
    /// - Parameters:
    ///   - accepted: the types that the caller can do with, best first; each stands for what conforms to it, too.
    ///   - preference: whose order decides: that of the item, as NSItemProvider chooses, or that of `accepted`.
    /// - Returns: nil if none is accepted.
    public func bestType(of accepted: [UniformType], preferring preference: LoadPreference = .source) -> UniformType? {
        contents.representation(forFirstOf: accepted, preferring: preference)?.type
    }
}

/// The order that decides when several types of an item are accepted.
///
/// Both sides list types, best first: an item lists the types that its source registered, a load those that it accepts.
/// For example, a program that accepts `[.plainText, .rtf]` loads an item with RTF and plain text:
///
/// - with ``source`` as RTF, which is the source's first type, and keeps the most of what was copied;
/// - with ``reader`` as plain text, which is the program's first type.
public enum LoadPreference: Sendable {
    /// The first of the item's types that is accepted. This is the default, and the choice of `NSItemProvider`.
    case source
    /// The first of the accepted types that the item has.
    case reader
}
