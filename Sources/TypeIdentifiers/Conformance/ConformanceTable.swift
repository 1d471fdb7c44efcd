/// The system's types: identifiers, their supertype closures and their tags.
///
/// The rows are static data written by `Table/generate.py`, which also refuses cycles and missing supertypes. Nothing
/// is built from them when a program starts. A row is a number. Finding a row, checking whether it conforms to another,
/// and listing the claimants of a tag need no allocation.
enum ConformanceTable {
    static func row(of identifier: String) -> Int? {
        indices(of: identifier, in: identifiers).first
    }

    /// Whether `row` conforms to the row `supertype`.
    static func conforms(_ row: Int, to supertype: Int) -> Bool {
        row == supertype || range(of: row, in: closureStarts).contains { Int(closures[$0]) == supertype }
    }

    /// The supertype closure of `row`, depth first, without itself.
    static func supertypes(of row: Int) -> [String] {
        range(of: row, in: closureStarts).map { identifiers[Int(closures[$0])] }
    }

    /// The identifiers that claim `tag`, best first. The order of the table decides.
    static func claimants(of tag: String, _ tagClass: UniformType.TagClass) -> Claimants {
        switch tagClass {
        case .filenameExtension:
            Claimants(indices: indices(of: tag, in: filenameExtensions), rows: filenameExtensionsRows)
        case .mimeType: Claimants(indices: indices(of: tag, in: mimeTypes), rows: mimeTypesRows)
        default: Claimants(indices: 0..<0, rows: [])
        }
    }

    struct Claimants: Sequence, IteratorProtocol {
        fileprivate var indices: Range<Int>
        fileprivate let rows: [UInt16]

        mutating func next() -> String? {
            indices.popFirst().map { identifiers[Int(rows[$0])] }
        }
    }

    /// The tags of `row`, the preferred one first.
    static func tags(of row: Int, _ tagClass: UniformType.TagClass) -> [String] {
        switch tagClass {
        case .filenameExtension:
            range(of: row, in: filenameExtensionsStarts).map { filenameExtensions[Int(filenameExtensionsIndices[$0])] }
        case .mimeType: range(of: row, in: mimeTypesStarts).map { mimeTypes[Int(mimeTypesIndices[$0])] }
        default: []
        }
    }

    private static func range(of row: Int, in starts: [UInt16]) -> Range<Int> {
        Int(starts[row])..<Int(starts[row + 1])
    }
}

extension ConformanceTable {
    /// The indices of `name` in a list that is sorted by folded bytes. Allocates nothing.
    static func indices(of name: String, in names: [String]) -> Range<Int> {
        let name = name.utf8.span
        var (low, high) = (0, names.count)
        while low < high {
            let middle = (low + high) / 2
            if names[middle].utf8.span.precedesFolded(name) { low = middle + 1 } else { high = middle }
        }
        var end = low
        while end < names.count, names[end].utf8.span.equalsFolded(name) { end += 1 }
        return low..<end
    }
}
