/// The size of a terminal.
public struct ScreenSize: Sendable, Hashable {
    /// At least 1.
    public let columns: Int
    /// At least 1.
    public let rows: Int

    /// A size; what makes no sense is taken for the smallest that does.
    public init(columns: Int, rows: Int) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
    }
}
