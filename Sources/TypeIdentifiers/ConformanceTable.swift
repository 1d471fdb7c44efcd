/// What the system declares: identifiers, their whole supertype closures and their tags.
///
/// The rows are static data written by `Table/generate.py`, which also refuses cycles and missing supertypes. A row is a
/// number, and asking whether one conforms to another allocates nothing.
enum ConformanceTable {
    static func row(of identifier: String) -> Int? {
        identifiers.sortedPlace(of: identifier)
    }

    /// Whether `row` conforms to another row.
    static func conforms(_ row: Int, to supertype: Int) -> Bool {
        row == supertype || closureRange(row).contains { Int(closures[$0]) == supertype }
    }

    /// The closure of `row`, depth first, without itself.
    static func supertypes(of row: Int) -> [String] {
        closureRange(row).map { identifiers[Int(closures[$0])] }
    }

    /// The rows that claim `tag`, best first: the order of the table decides.
    static func rows(tagged tag: String, _ tagClass: UniformType.TagClass) -> [Int] {
        guard let (names, rows) = tags(of: tagClass) else { return [] }
        return names.places(of: tag).map { Int(rows[$0]) }
    }

    /// The tags of `row`, the preferred one first.
    static func tags(of row: Int, _ tagClass: UniformType.TagClass) -> [String] {
        guard let (names, rows) = tags(of: tagClass) else { return [] }
        return rows.indices.filter { Int(rows[$0]) == row }.map { names[$0] }
    }

    private static func closureRange(_ row: Int) -> Range<Int> {
        Int(closureStarts[row])..<Int(closureStarts[row + 1])
    }

    private static func tags(of tagClass: UniformType.TagClass) -> (names: NameList, rows: [UInt16])? {
        switch tagClass {
        case .filenameExtension: (filenameExtensions, filenameExtensionRows)
        case .mimeType: (mimeTypes, mimeTypeRows)
        default: nil
        }
    }
}
