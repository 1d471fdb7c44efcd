/// What may be done with the file of a representation.
public struct ItemProviderFileOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes options of their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The original may be opened where it is, for reading; without this a destination gets a copy.
    public static let openInPlace = ItemProviderFileOptions(rawValue: 1)
}
