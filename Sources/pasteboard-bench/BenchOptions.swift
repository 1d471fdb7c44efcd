/// The options of the command line.
struct BenchOptions {
    static let usage = """
        usage: pasteboard-bench [--quick] [--rounds N] [--case WORD] [--programs DIR] [--earlier DIR]
                                [--peer NAME COPY PASTE] [--json]

          --quick         runs each case with little data: shows that it works, not how fast
          --rounds N      rounds of each case, subject and floor in turn; by default 7
          --case WORD     runs only cases whose line contains WORD; may be repeated
          --programs DIR  the directory of pasteboard and pasteboardd; by default that of this program
          --earlier DIR   the floor of loads is the same case with the clients of an earlier pasteboard-bench, and of the
                          same broker
          --peer NAME COPY PASTE
                          compares another clipboard with pasteboard, by its commands for copy and paste; may be repeated
          --json          prints one JSON object instead of a table

        Each line shows our figure, the figure of the floor, and the median of their ratios. Lower is better, unless
        (+) follows the unit.

        """

    var rounds = 7
    var isQuick = false
    var printsJSON = false
    var words: [String] = []
    var programs: String?
    var earlier: String?
    var peers: [ClipboardCommands] = []

    init(_ arguments: [String]) throws(BenchError) {
        var rest = arguments[...]
        func value(of option: String) throws(BenchError) -> String {
            guard let value = rest.popFirst() else { throw BenchError("option \(option) needs a value") }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": (isQuick, rounds) = (true, 1)
            case "--rounds":
                guard let number = Int(try value(of: argument)), 1...1_000 ~= number else {
                    throw BenchError("option --rounds needs a number from 1 to 1000")
                }
                rounds = number
            case "--case": words.append(try value(of: argument))
            case "--programs": programs = try value(of: argument)
            case "--earlier": earlier = try value(of: argument)
            case "--peer":
                let name = try value(of: argument)
                let copy = try value(of: argument)
                peers.append(ClipboardCommands(name: name, copy: copy, paste: try value(of: argument)))
            case "--json": printsJSON = true
            default: throw BenchError("unknown argument '\(argument)'; see pasteboard-bench --help")
            }
        }
    }
}
