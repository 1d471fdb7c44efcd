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
