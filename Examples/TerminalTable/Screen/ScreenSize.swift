/// The size of a terminal.
public struct ScreenSize: Sendable, Hashable {
    /// The number of columns, at least 1.
    public let columns: Int
    /// The number of rows, at least 1.
    public let rows: Int

    /// Makes a size. Values below 1 become 1.
    public init(columns: Int, rows: Int) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
    }
}
