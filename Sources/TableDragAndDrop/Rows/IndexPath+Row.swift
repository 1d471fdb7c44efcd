public import FoundationEssentials

extension IndexPath {
    /// Names a row of a table.
    ///
    /// - Parameters:
    ///   - row: counted from 0 in its section.
    ///   - section: counted from 0.
    public init(row: Int, section: Int) {
        self.init(indexes: [section, row])
    }

    /// The section. Only for paths that name a row: those that a table gives do.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The row within its section. Only for paths that name a row: those that a table gives do.
    public var row: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}
