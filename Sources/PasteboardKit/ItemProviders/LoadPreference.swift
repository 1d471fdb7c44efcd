/// The order that decides when several types of an item are accepted.
///
/// Both sides list types, best first: an item the types that its source registered, a load the types that it accepts. An
/// item with RTF and plain text is loaded by a program that accepts `[.plainText, .rtf]`:
///
/// - with ``source`` as RTF, which is the source's first type, and keeps the most of what was copied;
/// - with ``reader`` as plain text, which is the program's first type.
public enum LoadPreference: Sendable {
    /// The first of the item's types that is accepted. `NSItemProvider` chooses so, and it is the default.
    case source
    /// The first of the accepted types that the item has.
    case reader
}
