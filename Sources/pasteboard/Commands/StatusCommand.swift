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

    private static func text(_ welcome: Welcome, _ entries: [StatusEntry]) -> String {
        let peers = entries.compactMap(\.peer).map { peer in
            [
                peer.label ?? "-", "process \(peer.process ?? 0)", "publications \(peer.publications ?? 0)",
                "loads \(peer.loads ?? 0)", "asks \(peer.asks ?? 0)",
            ]
        }
        let loads = entries.compactMap(\.load).map { load in
            [
                load.type, "from \(load.source.map { "process \($0)" } ?? "the broker")",
                "to \(load.destination.map { "process \($0)" } ?? "the broker")",
                // The size of a secret is not shown.
                load.byteCount.map { ByteCount.text($0) } ?? "-", TimeSpan.text(milliseconds: load.milliseconds ?? 0),
            ]
        }
        let sections = [
            ("programs", peers), ("pasteboards", entries.compactMap(\.board?.row)),
            ("destinations", entries.compactMap(\.destination?.row)), ("sessions", entries.compactMap(\.session?.row)),
            ("loads", loads), ("last loads", entries.compactMap(\.read?.row)),
            ("processes", entries.compactMap(\.process?.row)),
            ("last ended connections", entries.compactMap(\.closed?.row)),
            ("counters", entries.compactMap(\.counter).map { [$0.name, String($0.value ?? 0)] }),
        ].map { title, rows in (title, rows.map { ["  \($0[0])"] + $0.dropFirst() }) }
        let version = VisibleText.line(welcome.programVersion ?? "-")
        return "broker \(version), process \(welcome.process ?? 0)\n"
            + sections.map { title, rows in "\n\(title)\n\(rows.isEmpty ? "  none\n" : TextTable.text(rows))" }.joined()
    }

    private static func json(_ welcome: Welcome, _ entries: [StatusEntry]) -> JSONValue {
        let peers = entries.compactMap(\.peer).map { peer -> JSONValue in
            [
                "process": JSONValue(peer.process), "label": JSONValue(peer.label),
                "publications": JSONValue(peer.publications ?? 0), "loads": JSONValue(peer.loads ?? 0),
                "asks": JSONValue(peer.asks ?? 0),
            ]
        }
        let loads = entries.compactMap(\.load).map { load -> JSONValue in
            [
                "type": .string(load.type), "source": JSONValue(load.source),
                "destination": JSONValue(load.destination), "bytes": JSONValue(load.byteCount),
                "milliseconds": JSONValue(load.milliseconds ?? 0),
            ]
        }
        return [
            "broker": [
                "version": JSONValue(welcome.programVersion), "process": JSONValue(welcome.process),
                "protocol": JSONValue(welcome.version), "epoch": JSONValue(welcome.epoch.map { String($0) }),
            ],
            "programs": .array(peers),
            "pasteboards": .array(entries.compactMap(\.board).map { $0.json(welcome.epoch) }),
            "destinations": .array(entries.compactMap(\.destination).map(\.json)),
            "sessions": .array(entries.compactMap(\.session).map(\.json)),
            "loads": .array(loads),
            "lastLoads": .array(entries.compactMap(\.read).map(\.json)),
            "processes": .array(entries.compactMap(\.process).map(\.json)),
            "lastEndedConnections": .array(entries.compactMap(\.closed).map(\.json)),
            "counters": .object(entries.compactMap(\.counter).map { ($0.name, JSONValue($0.value)) }),
        ]
    }
}
