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

    /// Makes the index path of an item of a collection view.
    public init(item: Int, section: Int) {
        self.init(row: item, section: section)
    }

    /// The item within its section, which is the same as ``row``.
    public var item: Int {
        get { row }
        set { row = newValue }
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
