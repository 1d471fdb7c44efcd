public import FoundationEssentials

extension IndexPath {
    /// Makes the index path of a row.
    ///
    /// - Parameters:
    ///   - row: the index of the row in its section.
    ///   - section: the index of the section.
    public init(row: Int, section: Int) {
        self.init(indexes: [section, row])
    }

    /// The section. Valid only for paths of rows, such as those from a table.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The row within its section. Valid only for paths of rows, such as those from a table.
    public var row: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}
