import PasteboardTransport

// None of these members calls a handler or the broker. A provider does not contain representations that this process
// may not see. Promises of a source that had ended when the item was listed are left out: their load would fail.
extension ItemProvider {
    /// The types in which the item is available, best first.
    ///
    /// If another process offers a text in an encoding other than UTF-8, the list ends with
    /// `UniformType.utf8PlainText`: this library can convert the text to it.
    public var registeredContentTypes: [UniformType] {
        representations.loadable.map(\.type)
    }

    /// The types whose file a destination may open in place, best first.
    package var typesForOpenInPlace: [UniformType] {
        representations.loadable.filter(\.opensInPlace).map(\.type)
    }

    /// Whether a load of the type gets the file for which its source made the provider.
    package func isMadeForFile(_ type: UniformType) -> Bool {
        representations.best(for: type)?.file != nil
    }

    /// Whether this type, or a type that conforms to it, is registered, so that a load as this type can be tried.
    public func canLoad(_ type: UniformType) -> Bool {
        representations.loadable.contains { $0.type.conforms(to: type) }
    }

    /// Returns the item's type that a load chooses if it accepts several types.
    ///
    /// - Parameters:
    ///   - accepted: the types that the caller accepts, best first; each includes all types that conform to it.
    ///   - preference: the order that decides: that of the item, as in NSItemProvider, or that of `accepted`.
    /// - Returns: the type; nil if no type of the item is accepted.
    public func bestType(of accepted: [UniformType], preferring preference: LoadPreference = .source) -> UniformType? {
        representations.loadable.best(of: accepted, preferring: preference)?.type
    }
}

/// The order that decides when several types of an item are accepted.
///
/// Both sides list types, best first: an item lists the types that its source registered, a load those that it accepts.
/// For example, a program that accepts `[.plainText, .rtf]` loads an item with RTF and plain text:
///
/// - with ``source`` as RTF, which is the source's first type and preserves most of what was copied;
/// - with ``reader`` as plain text, which is the program's first type.
public enum LoadPreference: Sendable {
    /// The first of the item's types that is accepted. This is the default, and the choice of `NSItemProvider`. The
    /// item's order does not decide between encodings of plain text: UTF-8 is first, then UTF-16.
    case source
    /// The first of the accepted types that the item has.
    case reader
}
