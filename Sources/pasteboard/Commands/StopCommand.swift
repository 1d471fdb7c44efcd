import PasteboardClient
import PasteboardWire

/// Ends the broker.
struct StopCommand: Command {
    static let syntax = CommandSyntax(
        "stop",
        "ends the broker",
        options: [.init("--if-empty", "ends it only if 'list' shows no pasteboard")],
        notes: """
            The contents in memory are lost, and a note names their pasteboards. With the limit 'kept-on-disk', those that are
            kept come back with the next broker. Running loads may finish within the limit 'drain'. The command returns when
            the broker no longer accepts connections, so the next broker can start. Ends with 3 if no broker is running, and
            with 6 if --if-empty leaves it running. Contents that are written while the command looks are lost, too.
            """
    )

    private let onlyIfEmpty: Bool

    init(_ arguments: ParsedArguments) {
        onlyIfEmpty = arguments.has("--if-empty")
    }

    func run() throws -> CInt {
        let connection = try Broker.required(hint: "")
        let entries = try connection.status()
        // A pasteboard whose contents this program may not see is listed without items.
        let listed = entries.compactMap(\.board).map(\.name)
        let names = listed.abbreviated
        if onlyIfEmpty, !listed.isEmpty {
            throw Failure(.refused, "the broker was not ended, because there are pasteboards: \(names)")
        }
        try connection.stop()
        let keepsOnDisk = entries.contains { $0.limit?.name == "kept-on-disk" && $0.limit?.value ?? 0 > 0 }
        guard !listed.isEmpty else { return 0 }
        let loss = keepsOnDisk ? "contents that are not on the disk are lost; there were" : "lost the contents of"
        StandardStreams.note("pasteboard: stop: \(loss): \(names)")
        return 0
    }
}
