/// The known word that is most similar to an unknown one, if any is similar enough.
struct Suggestion {
    let word: String?

    init(for spelling: String, among words: [String]) {
        let letters = Array(spelling)
        let name = letters.drop { $0 == "-" }
        let words = words.filter { $0.hasPrefix("--") == spelling.hasPrefix("--") }
        guard 2...32 ~= name.count else {
            word = nil
            return
        }
        // A short word is similar to too many others.
        let farthest = name.count < 4 ? 1 : 2
        let distances = words.map { (word: $0, distance: Self.distance(letters, Array($0))) }
        let nearest = distances.filter { $0.distance <= farthest }.min { $0.distance < $1.distance }
        word = nearest?.word ?? words.first { name.count > 2 && $0.hasPrefix(spelling) }
    }

    var question: String? { word.map { "did you mean '\($0)'?" } }

    /// The number of letters to insert, remove, replace or exchange with their neighbour.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var steps = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { steps = min(steps, before[j - 1] + 1) }
                row.append(steps)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
