/// The size of a terminal.
struct ScreenSize: Equatable {
    /// The number of columns, at least 1.
    let columns: Int
    /// The number of rows, at least 1.
    let rows: Int

    /// Makes a size. Values below 1 become 1.
    init(columns: Int, rows: Int) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
    }
}
