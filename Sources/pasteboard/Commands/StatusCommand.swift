import PasteboardClient
import PasteboardWire

/// Shows the state of the broker.
struct StatusCommand: Command {
    static let syntax = CommandSyntax(
        "status",
        "shows programs, pasteboards, drags and loads; never contents",
        options: [.timeout, .label, .json],
        examples: "pasteboard status",
        notes: "It also shows the connections that ended last, and counters. No broker is started."
    )

    init(_ arguments: ParsedArguments) {}

    func run(on loop: Loop) async throws -> CInt {
        let (welcome, entries) = try await Brokers.required(on: loop).recovering {
            ($0.welcome, try await $0.status(history: true))
        }
        try StandardStreams.print(Self.text(welcome, entries), json: Self.json(welcome, entries))
        return 0
    }

    private static func rows(_ welcome: Welcome, _ entries: [StatusEntry]) -> [(title: String, rows: [ReportRow])] {
        [
            ("programs", entries.compactMap(\.peer?.row)),
            ("pasteboards", entries.compactMap { $0.board?.row(welcome.epoch) }),
            ("destinations", entries.compactMap(\.destination?.row)), ("sessions", entries.compactMap(\.session?.row)),
            ("loads", entries.compactMap(\.load?.row)), ("processes", entries.compactMap(\.process?.row)),
            ("last ended connections", entries.compactMap(\.closed?.row)),
        ]
    }

    private static func text(_ welcome: Welcome, _ entries: [StatusEntry]) -> String {
        let counters = entries.compactMap(\.counter).map { [$0.name, String($0.value ?? 0)] }
        let sections = rows(welcome, entries).map { ($0, $1.map(\.cells)) } + [("counters", counters)]
        let version = VisibleText.line(welcome.programVersion ?? "-")
        return "broker \(version), process \(welcome.process ?? 0)\n"
            + sections.map { title, rows in
                let rows = rows.map { ["  \($0[0])"] + $0.dropFirst() }
                return "\n\(title)\n\(rows.isEmpty ? "  none\n" : TextTable.text(rows))"
            }.joined()
    }

    private static func json(_ welcome: Welcome, _ entries: [StatusEntry]) -> JSONValue {
        let broker: JSONValue = [
            "version": JSONValue(welcome.programVersion), "process": JSONValue(welcome.process),
            "protocol": JSONValue(welcome.version), "epoch": JSONValue(welcome.epoch.map { String($0) }),
        ]
        let sections = rows(welcome, entries).map { title, rows in
            (title == "last ended connections" ? "lastEndedConnections" : title, JSONValue.array(rows.map(\.json)))
        }
        let counters = entries.compactMap(\.counter).map { ($0.name, JSONValue($0.value)) }
        return .object([("broker", broker)] + sections + [("counters", .object(counters))])
    }
}
