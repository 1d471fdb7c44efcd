extension ConformanceTable {
    /// The places of `name` in a list that is sorted by folded bytes. Allocates nothing.
    static func places(of name: String, in names: [String]) -> Range<Int> {
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
