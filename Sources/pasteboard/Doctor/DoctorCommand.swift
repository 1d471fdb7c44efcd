import PasteboardClient
import PasteboardTransport

/// Checks what the commands need, and says how to fix what is wrong.
struct DoctorCommand: Command {
    static let syntax = CommandSyntax(
        "doctor",
        "checks what the commands need, and says how to fix what is wrong",
        options: [
            .init("--link", value: "[USER@]HOST", "also checks whether this machine can be linked with another one"),
            .via, .json,
        ],
        broker: .started,
        examples: """
            pasteboard doctor
            pasteboard doctor --link buildhost
            """,
        exit: "0 if all is well, otherwise 1, and never 3",
        notes: """
            Checks the directory of the socket and its owner, the socket, the running broker and its version, the way to
            it (direct, or forwarded by another program), the directory of what is kept, the limits of the configuration
            file and of PASTEBOARD_LIMITS, the directory on the disk, and tar. Starts no broker, and leaves nothing behind.
            With --link it also runs 'pasteboard connect' on the other machine, which starts a broker there if none runs.

            --json prints an array of the checks, each with 'check',
            'state' (good or bad), 'finding' and 'advice', which is null if the state is good.
            """
    )

    private let link: (operand: String, via: String?)?

    init(_ arguments: ParsedArguments) throws {
        let via = try LinkCommand.via(arguments)
        link = try arguments.value("--link").map { (try LinkCommand.checked($0), via) }
        guard link != nil || via == nil else { throw CommandFailure(usage: "--via has no effect without --link") }
    }

    func run(on loop: Loop) async throws -> CInt {
        var linked: [Finding] = []
        if let link { linked = [await LinkExamination(link.operand, via: link.via).finding(on: loop)] }
        let findings = await Examination(on: loop).findings + linked
        try StandardStreams.print(
            TextTable.text(findings.flatMap(\.rows), width: System.terminalColumns(1)),
            json: .array(findings.map(\.json))
        )
        return findings.allSatisfy(\.isGood) ? 0 : 1
    }
}

/// The result of one check.
struct Finding: Equatable {
    let check: String
    let text: String
    /// The way to fix it; nil if all is well.
    var advice: String?

    var isGood: Bool { advice == nil }

    init(_ check: String, _ text: String) {
        self.check = check
        self.text = text
    }

    /// - Parameters:
    ///   - error: its text has the form `problem; advice`.
    ///   - usual: the advice if the text has none.
    init(_ check: String, _ error: any Error, usual: String) {
        var problem = CommandFailure(error).text ?? ""
        if problem.hasSuffix(BrokerConnector.hint) { problem.removeLast(BrokerConnector.hint.count) }
        let parts = problem.split(separator: "; ", maxSplits: 1).map(String.init)
        self.check = check
        text = parts.first ?? ""
        advice = parts.count > 1 ? parts[1] : usual
    }

    fileprivate var rows: [[String]] {
        [[isGood ? "good" : "BAD", check, text]] + (advice.map { [["", "", "to fix it: \($0)"]] } ?? [])
    }

    fileprivate var json: JSONValue {
        [
            "check": .string(check), "state": isGood ? "good" : "bad", "finding": .string(text),
            "advice": JSONValue(advice),
        ]
    }
}
