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
            .init(
                "--timeout",
                value: "DURATION",
                "the time for each answer, or for each run of a client; by default 5s, at most 24h"
            ),
            .json,
        ],
        notes: """
            Prints one line for each rule: 'ok', 'FAILED' with the expected and the actual event, or '-' if it is not
            tested. Ends with 1 if a rule is broken.

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
    }

    /// The longest time for an answer, in milliseconds.
    private static let maximum: UInt64 = 24 * 3_600_000

    private let object: Object
    private let milliseconds: Int
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        switch (try arguments.value("--broker"), try arguments.value("--client")) {
        case (let path?, nil): object = .broker(path)
        case (nil, let command?): object = .client(command)
        default: throw CommandFailure(usage: "conformance needs --broker SOCKET or --client COMMAND")
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
        case .broker(let path): report = try BrokerConformance(path: path, milliseconds: milliseconds).report()
        case .client(let command):
            let signals = try SignalBox([SIGINT, SIGTERM, SIGHUP])
            let test = ClientConformance(command: command, milliseconds: milliseconds, signals: signals)
            report = try test.report()
        }
        try StandardStreams.print(isJSON ? report.json.line : report.text)
        return report.hasFailures ? 1 : 0
    }
}
