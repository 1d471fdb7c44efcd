/// What to measure, and how.
struct BenchOptions {
    static let usage = """
        usage: pasteboard-bench [--quick] [--rounds N] [--case WORD] [--free] [--json]

          --quick      little of everything: shows that it works, not how fast
          --rounds N   rounds of each case, ours and the floor's in turn; 7 unless told
          --case WORD  only cases whose name contains WORD
          --free       let the scheduler place the processes; else all share one core
          --json       one JSON object instead of a table

        """

    var rounds = 7
    var isQuick = false
    var isFree = false
    var printsJSON = false
    var showsHelp = false
    var word: String?

    init(_ arguments: [String]) throws(BenchError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick":
                self.isQuick = true
                self.rounds = 1
            case "--rounds":
                guard let number = rest.popFirst().flatMap({ Int($0) }), 1...1_000 ~= number else {
                    throw BenchError("--rounds needs a number from 1 to 1000")
                }
                self.rounds = number
            case "--case":
                guard let word = rest.popFirst() else { throw BenchError("--case needs a word") }
                self.word = word
            case "--free": self.isFree = true
            case "--json": self.printsJSON = true
            case "--help", "-h": self.showsHelp = true
            default: throw BenchError("unknown argument '\(argument)'; see --help")
            }
        }
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
