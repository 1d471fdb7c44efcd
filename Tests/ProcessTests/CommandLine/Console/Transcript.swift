import TestSupport
import Testing

/// A case of a transcript: commands for one shell, with their expected output. *Contributing* describes the format.
struct Transcript: Sendable, CustomTestStringConvertible {
    /// A command, or an expectation of a job.
    struct Step: Sendable {
        enum Kind: Equatable {
            /// `$ command`, which has to end with the code.
            case command
            /// `$ command &`, which continues beside the next steps, as the next job.
            case start
            /// `wait for command`, which is repeated until it succeeds.
            case wait
            /// `%1 line`: a line that this job prints, or its end if there is a code.
            case job(Int)
        }

        let kind: Kind
        var command: String
        let line: Int
        /// Patterns for the lines of standard output and of standard error.
        var output: [String] = []
        var errors: [String] = []
        var code: CInt?

        /// Adds a line below the command. The code in brackets is before the first line of standard error, and `2> `
        /// before a further one.
        fileprivate mutating func expect(_ line: String) {
            if let match = line.wholeMatch(of: #/\[(\d+)\](?: (.*))?/#) {
                code = CInt(match.1)
                errors += match.2.map { [String($0)] } ?? []
            } else if line.hasPrefix("2> ") {
                errors.append(String(line.dropFirst(3)))
            } else {
                output.append(line == "(blank)" ? "" : line)
            }
        }
    }

    /// The path of the file below the root of the repository.
    let file: String
    let title: String
    /// Whether standard error is expected among standard output, as a terminal shows it.
    let mergesErrors: Bool
    private(set) var steps: [Step]

    var testDescription: String { title }

    /// The cases of a file in `Tests/CommandLine`. The steps before the first title begin each of them.
    static func cases(_ name: String) throws -> [Transcript] {
        let file = "Tests/CommandLine/\(name).console"
        let lines = try Document(file).lines
        let starts = lines.indices.filter { lines[$0].hasPrefix("## ") }
        let common = steps(lines[..<(starts.first ?? 0)])
        return zip(starts, starts.dropFirst() + [lines.count]).map { start, end in
            let steps = steps(lines[start..<end])
            return Self(
                file: file,
                title: String(lines[start].dropFirst(3)),
                mergesErrors: false,
                steps: common + steps
            )
        }
    }

    /// The blocks of an article.
    static func blocks(_ file: String) throws -> [Transcript] {
        let lines = try Document(file).lines
        return lines.indices.filter { lines[$0] == "```console" }.map { start in
            let block = lines[(start + 1)...].prefix { $0 != "```" }
            return Self(file: file, title: "\(file):\(start + 1)", mergesErrors: true, steps: steps(block))
        }
    }

    private static func steps(_ lines: ArraySlice<String>) -> [Step] {
        var steps: [Step] = []
        // Text after an empty line is prose, and not expected.
        var isOpen = false
        for (index, line) in zip(lines.indices, lines) {
            let last = steps.endIndex - 1
            if line.hasPrefix("$ ") {
                steps.append(Step(kind: .command, command: String(line.dropFirst(2)), line: index + 1))
                isOpen = true
            } else if line.hasPrefix("wait for ") {
                steps.append(Step(kind: .wait, command: String(line.dropFirst(9)), line: index + 1))
                isOpen = false
            } else if line.first == "%", let end = line.firstIndex(of: " "), let job = Int(line[..<end].dropFirst()) {
                if !isOpen || steps.last?.kind != .job(job) {
                    steps.append(Step(kind: .job(job), command: String(line[..<end]), line: index + 1))
                }
                steps[steps.endIndex - 1].expect(String(line[end...].dropFirst()))
                isOpen = true
            } else if isOpen, line == ">" || line.hasPrefix("> ") {
                steps[last].command += "\n" + line.dropFirst(2)
            } else if line.isEmpty || line.hasPrefix("# ") || line.hasPrefix("## ") {
                isOpen = false
            } else if isOpen {
                steps[last].expect(line)
            }
        }
        return steps.map { step in
            let isJob = step.command.hasSuffix("&") && !step.command.hasSuffix("&&")
            guard step.kind == .command, isJob else { return step }
            var start = Step(kind: .start, command: step.command, line: step.line)
            (start.output, start.errors) = (step.output, step.errors)
            return start
        }
    }
}
