import PasteboardClient
import PasteboardWire

/// Ends the broker.
struct StopCommand: Command {
    static let syntax = CommandSyntax(
        "stop",
        "ends the broker",
        options: [.init("--if-empty", "ends it only if no pasteboard has contents")],
        notes: """
            The contents in memory are lost, and a note names their pasteboards. With the limit 'kept-on-disk', those that are
            kept come back with the next broker. Running loads may finish within the limit 'drain'. The command returns when
            the broker no longer accepts connections, so the next broker can start. Ends with 3 if no broker is running, and
            with 6 if --if-empty leaves it running.
            """
    )

    private let onlyIfEmpty: Bool

    init(_ arguments: ParsedArguments) {
        onlyIfEmpty = arguments.has("--if-empty")
    }

    func run() throws -> CInt {
        let connection = try Broker.required(hint: "")
        let entries = try connection.status()
        let full = entries.compactMap(\.board).filter { $0.itemCount ?? 0 > 0 }.map(\.name)
        let names = full.prefix(5).joined(separator: ", ") + (full.count > 5 ? " and \(full.count - 5) more" : "")
        if onlyIfEmpty, !full.isEmpty {
            throw Failure(.refused, "the broker was not ended, because pasteboards have contents: \(names)")
        }
        try connection.stop()
        let keepsOnDisk = entries.contains { $0.limit?.name == "kept-on-disk" && $0.limit?.value ?? 0 > 0 }
        guard !full.isEmpty else { return 0 }
        StandardStreams.note(
            "pasteboard: stop: "
                + (keepsOnDisk ? "what is not on the disk is lost of: \(names)" : "lost the contents of: \(names)")
        )
        return 0
    }
}
