/// The contents of a placeholder row.
@MainActor
public final class TableCell {
    /// The identifier that the placeholder was made with. It distinguishes kinds of rows.
    public let reuseIdentifier: String
    /// The height of the row in the program's own unit; ``Table/automaticDimension`` fits the contents.
    public let rowHeight: Double
    /// The text of the row.
    public var text: String?

    init(reuseIdentifier: String, rowHeight: Double) {
        self.reuseIdentifier = reuseIdentifier
        self.rowHeight = rowHeight
    }
}
