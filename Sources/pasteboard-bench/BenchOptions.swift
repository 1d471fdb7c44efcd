/// The command-line options: the cases to measure and how to run them.
struct BenchOptions {
    static let usage = """
        usage: pasteboard-bench [--quick] [--rounds N] [--case WORD] [--programs DIR] [--free] [--json]

          --quick         little of everything: shows that it works, not how fast
          --rounds N      rounds of each case, ours and the floor's in turn; 7 unless told
          --case WORD     only cases whose line contains WORD; may be repeated
          --free          let the scheduler place the processes; else all share one core
          --programs DIR  where pasteboard and pasteboardd are, if not beside this program
          --json          one JSON object instead of a table

        Each line is ours, the floor's, and ours divided by the floor's: the median of the rounds' own ratios. Less is
        better, except where the unit is followed by (+).

        """

    var rounds = 7
    var isQuick = false
    var isFree = false
    var printsJSON = false
    var showsHelp = false
    var words: [String] = []
    var programs: String?

    init(_ arguments: [String]) throws(BenchError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick":
                isQuick = true
                rounds = 1
            case "--rounds":
                guard let number = rest.popFirst().flatMap({ Int($0) }), 1...1_000 ~= number else {
                    throw BenchError("--rounds needs a number from 1 to 1000")
                }
                rounds = number
            case "--case":
                guard let word = rest.popFirst() else { throw BenchError("--case needs a word") }
                words.append(word)
            case "--programs":
                guard let programs = rest.popFirst() else { throw BenchError("--programs needs a directory") }
                self.programs = programs
            case "--free": isFree = true
            case "--json": printsJSON = true
            case "--help", "-h": showsHelp = true
            default: throw BenchError("unknown argument '\(argument)'; see --help")
            }
        }
    }

    func includes(_ line: String) -> Bool {
        words.isEmpty || words.contains { line.contains($0) }
    }
}
