/// Names kept in one string with spaces between, so that hundreds of them cost one pass at first use and no allocation each.
struct NameList: Sendable {
    private let text: String
    /// Where each name starts, and one more for the end.
    private let starts: [Int]

    init(_ text: String) {
        self.text = text
        let bytes = text.utf8.span
        var starts = [0]
        starts.reserveCapacity(512)
        for index in bytes.indices where bytes[index] == UInt8(ascii: " ") { starts.append(index + 1) }
        starts.append(bytes.count + 1)
        self.starts = starts
    }

    var count: Int { starts.count - 1 }

    subscript(index: Int) -> String {
        let bytes = text.utf8
        return String(
            text[
                bytes.index(
                    bytes.startIndex,
                    offsetBy: starts[index]
                )..<bytes.index(bytes.startIndex, offsetBy: starts[index + 1] - 1)
            ]
        )
    }

    /// The places of `name`, ASCII case aside.
    func places(of name: String) -> [Int] {
        let (name, bytes) = (name.utf8.span, text.utf8.span)
        var places: [Int] = []
        for index in 0..<count where bytes.extracting(starts[index]..<starts[index + 1] - 1).equalsFolded(name) {
            places.append(index)
        }
        return places
    }

    /// The place of `name` in a list that is sorted by folded bytes.
    func sortedPlace(of name: String) -> Int? {
        let (name, bytes) = (name.utf8.span, text.utf8.span)
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if bytes.extracting(starts[middle]..<starts[middle + 1] - 1).precedesFolded(name) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < count, bytes.extracting(starts[low]..<starts[low + 1] - 1).equalsFolded(name) else { return nil }
        return low
    }
}
