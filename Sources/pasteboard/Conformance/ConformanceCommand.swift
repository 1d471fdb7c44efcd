import Glibc
import PasteboardTransport
import PasteboardWire
import ProtocolVectors

/// Tests a broker or a client by the numbered rules of the protocol.
struct ConformanceCommand: Command {
    static let syntax = CommandSyntax(
        "conformance",
        "tests a broker or a client of any origin by the numbered rules of the protocol",
        options: [
            .init("--broker", value: "SOCKET", "tests the broker that listens at this path"),
            .init("--client", value: "COMMAND", "tests a client: 'sh' runs COMMAND with a verb appended"),
            .init("--rule", value: "RULE", "tests this rule alone, such as W5, or all rules with a letter, such as W"),
            .init(
                "--list",
                "prints the tests with their file, line and rules, and the parts of rules that are not tested"
            ),
            .init(
                "--timeout",
                value: "DURATION",
                "the time for each answer, or for each run of a client; by default 5s, at most 24h"
            ),
            .json,
        ],
        notes: """
            Prints one line for each rule: 'ok', 'FAILED', or '-' if it is not tested. Then follows each failed test, once:
            its place in the files of vectors, its rules, the step, the expected and the actual event, and its frames. Ends
            with 1 if a rule is broken.

            A broker should be a new one: the test writes and clears the pasteboards 'general' and 'conformance', and
            registers the destination 'conformance'.

            A client finds a scripted broker at PASTEBOARD_SOCKET, and ends with 0 only if all went well, else with 1 to \
            125. The verbs:

            \(HelpText.rows(ClientVerb.allCases.map { ($0.rawValue, $0.meaning) }))

            A client that does not support a verb ends with 77; the rules are then not tested. Its standard error is not
            redirected.
            """
    )

    private enum Object {
        case broker(String)
        case client(String)
        case list
    }

    /// The longest time for an answer, in milliseconds.
    private static let maximum: UInt64 = 24 * 3_600_000

    private let object: Object
    private let rules: [String]
    private let milliseconds: Int
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        switch (try arguments.value("--broker"), try arguments.value("--client"), arguments.has("--list")) {
        case (let path?, nil, false): object = .broker(path)
        case (nil, let command?, false): object = .client(command)
        case (nil, nil, true): object = .list
        default: throw CommandFailure(usage: "conformance needs --broker SOCKET, --client COMMAND or --list")
        }
        let rule = try arguments.value("--rule")
        rules = ProtocolRule.all.filter { rule == nil || $0 == rule || String($0.prefix(1)) == rule }
        if let rule, rules.isEmpty {
            throw CommandFailure(
                usage: "the protocol has no rule '\(rule)'; name one such as W5, or a letter such as W"
            )
        }
        let timeout = try TimeoutArgument(try arguments.value("--timeout") ?? "5s")
        guard let limit = timeout.milliseconds, limit <= Self.maximum else {
            throw CommandFailure(usage: "--timeout of conformance is at most 24h")
        }
        milliseconds = Int(limit)
        isJSON = arguments.has("--json")
    }

    func run() throws -> CInt {
        let report: RuleReport
        switch object {
        case .broker(let path):
            report = try BrokerConformance(path: path, milliseconds: milliseconds, rules: rules).report()
        case .client(let command):
            let signals = try SignalBox([SIGINT, SIGTERM, SIGHUP])
            let test = ClientConformance(command: command, milliseconds: milliseconds, rules: rules, signals: signals)
            report = try test.report()
        case .list:
            try StandardStreams.print(try listing())
            return 0
        }
        try StandardStreams.print(isJSON ? report.json.line : report.text)
        return report.hasFailures ? 1 : 0
    }

    /// The tests of the selected rules, one a line, and what is not tested of them.
    private func listing() throws -> String {
        let vectors = try BrokerConformance.vectors() + VectorFile.client().vectors
        let tests = vectors.filter { !Set(rules).isDisjoint(with: $0.rules) }.map { vector in
            "\(vector.file):\(vector.line) \(vector.rules.joined(separator: " ")): \(vector.title)"
        }
        let tested = Set(vectors.flatMap(\.rules)).union(BrokerAudit.rules).union(ClientAudit.rules)
        let rest = rules.compactMap { rule -> String? in
            if let part = ProtocolRule.untested[rule] { return "\(rule) not tested: \(part)" }
            return tested.contains(rule) ? nil : "\(rule) not tested"
        }
        return (tests + rest).map { VisibleText.line($0) + "\n" }.joined()
    }
}
