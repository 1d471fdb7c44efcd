import PasteboardClient
import PasteboardWire

/// Ends the broker.
struct StopCommand: Command {
    static let syntax = CommandSyntax(
        "stop",
        "ends the broker",
        options: [.init("--if-empty", "ends it only if 'list' shows no pasteboard"), .timeout, .label, .json],
        examples: "pasteboard stop --if-empty",
        exit: """
            0 if the broker has ended; 6 if --if-empty leaves it running; 3 if the contents could not be written to the disk
            """,
        files: [("~/.local/state/pasteboard/kept", "contents on disk (limit kept-on-disk)")],
        notes: """
            What is kept comes back with the next broker; a note names the pasteboards whose contents are lost, such as
            promises and secrets. Running loads may finish within the limit 'drain'. The command returns when the broker
            no longer accepts connections, so the next broker can start.
            """
    )

    private let onlyIfEmpty: Bool

    init(_ arguments: ParsedArguments) {
        onlyIfEmpty = arguments.has("--if-empty")
    }

    func run(on loop: Loop) async throws -> CInt {
        let brokers = try await Brokers.required(on: loop, hint: "")
        // A pasteboard whose contents this program may not see is listed without items.
        let listed = onlyIfEmpty ? try await brokers.recovering { try await $0.status() } : []
        let names = listed.compactMap(\.board).map(\.name)
        guard names.isEmpty else {
            throw Failure(.refused, "the broker was not ended, because there are pasteboards: \(names.abbreviated)")
        }
        let end = try await brokers.recovering(Recovery(.change, repeats: 0)) { try await $0.stop() }
        if Invocation.current.isJSON {
            try StandardStreams.print("", json: ["lost": .array(end.lostBoards.map { .string($0) })])
        } else if !end.lostBoards.isEmpty {
            StandardStreams.remark("lost the contents of: \(end.lostBoards.abbreviated)")
        }
        if let error = end.diskError {
            throw Failure(
                .brokerUnavailable,
                "the broker has ended, and contents could not be left on the disk: \(error)"
            )
        }
        return 0
    }
}
