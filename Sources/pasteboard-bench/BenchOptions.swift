/// The options of the command line.
struct BenchOptions {
    static let usage = """
        usage: pasteboard-bench [--quick] [--rounds N] [--case WORD] [--programs DIR] [--earlier DIR] [--json]

          --quick         runs each case with little data: shows that it works, not how fast
          --rounds N      rounds of each case, subject and floor in turn; by default 7
          --case WORD     runs only cases whose line contains WORD; may be repeated
          --programs DIR  the directory of pasteboard and pasteboardd; by default that of this program
          --earlier DIR   the floor of loads is the same case with the clients of an earlier pasteboard-bench, and of the
                          same broker
          --json          prints one JSON object instead of a table

        Each line shows our figure, the figure of the floor, and the median of their ratios. Lower is better, unless
        (+) follows the unit.

        """

    var rounds = 7
    var isQuick = false
    var printsJSON = false
    var showsHelp = false
    var words: [String] = []
    var programs: String?
    var earlier: String?

    init(_ arguments: [String]) throws(BenchError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick":
                isQuick = true
                rounds = 1
            case "--rounds":
                guard let number = rest.popFirst().flatMap({ Int($0) }), 1...1_000 ~= number else {
                    throw BenchError("option --rounds needs a number from 1 to 1000")
                }
                rounds = number
            case "--case":
                guard let word = rest.popFirst() else { throw BenchError("option --case needs a word") }
                words.append(word)
            case "--programs":
                guard let programs = rest.popFirst() else { throw BenchError("option --programs needs a directory") }
                self.programs = programs
            case "--earlier":
                guard let earlier = rest.popFirst() else { throw BenchError("option --earlier needs a directory") }
                self.earlier = earlier
            case "--json": printsJSON = true
            case "--help", "-h": showsHelp = true
            default: throw BenchError("unknown argument '\(argument)'; see pasteboard-bench --help")
            }
        }
    }

    func includes(_ line: String) -> Bool {
        words.isEmpty || words.contains { line.contains($0) }
    }
}
