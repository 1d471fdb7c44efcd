/// What a placeholder row shows.
@MainActor
public final class TableCell {
    /// What the placeholder was made with, for whoever shows different kinds of rows.
    public let reuseIdentifier: String
    /// How high the row is, in whatever units the program has; ``Table/automaticDimension``: as it comes.
    public let rowHeight: Double
    /// What is to be read there.
    public var text: String?

    init(reuseIdentifier: String, rowHeight: Double) {
        self.reuseIdentifier = reuseIdentifier
        self.rowHeight = rowHeight
    }
}
