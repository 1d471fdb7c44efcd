import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Shows the versions of this program and of the running broker.
struct VersionCommand: Command {
    static let syntax = CommandSyntax(
        "version",
        "shows the versions of this program and of the running broker",
        options: [.json],
        examples: "pasteboard version --json",
        exit: "0 also without a broker, and never 3",
        notes: """
            Waits for the answer of the broker for a second at most. No broker is started. --json also prints the
            features of the protocol: those of this program and, of the broker, those that both have.
            """
    )

    /// The time that a broker has for its answer, in milliseconds.
    private static let timeout = 1_000

    init(_ arguments: ParsedArguments) {}

    func run(on loop: Loop) async throws -> CInt {
        // Before the broker has answered.
        if !Invocation.current.isJSON { try StandardStreams.print("pasteboard \(ProgramVersion.current)\n") }
        let welcome = try await welcome(on: loop)
        try StandardStreams.print(welcome.map(Self.text) ?? "", json: Self.json(welcome))
        return 0
    }

    private static func text(_ welcome: Welcome) -> String {
        let version = VisibleText.line(welcome.programVersion ?? "of an unknown version")
        let process = welcome.process.map { ", process \($0)" } ?? ""
        return "broker \(version), protocol \(welcome.version ?? 0)\(process)\n"
    }

    /// The answer of the broker; nil if none is running, or if it does not answer.
    private func welcome(on loop: Loop) async throws -> Welcome? {
        let deadline = MonotonicClock.deadline(milliseconds: Self.timeout)
        do {
            guard let brokers = try await Brokers.running(on: loop, until: deadline) else { return nil }
            return try await brokers.recovering { $0.welcome }
        } catch let failure as Failure {
            // The program's own version is all that many callers want, so this is no error.
            if failure.code == .timeout { StandardStreams.note("pasteboard: version: \(failure.text)") }
            return nil
        }
    }

    private static func json(_ welcome: Welcome?) -> JSONValue {
        func names(_ features: [UInt32]) -> JSONValue {
            .array(features.map { number in .string(Feature(rawValue: number).map { "\($0)" } ?? String(number)) })
        }
        let broker = welcome.map { welcome -> JSONValue in
            [
                "version": JSONValue(welcome.programVersion), "protocol": JSONValue(welcome.version),
                "features": names(welcome.features), "process": JSONValue(welcome.process),
            ]
        }
        return [
            "version": .string(ProgramVersion.current), "protocol": JSONValue(FrameHeader.version),
            "features": names(Feature.allCases.map(\.rawValue)), "broker": broker ?? .null,
        ]
    }
}
